#include "resource-local/file.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace quarry::resource_local {
namespace {

Failure unreadable(const std::filesystem::path& path, int error) {
  return field_failure(
      "/path", "cannot be read: " + path.native() + ": " + std::generic_category().message(error),
      "Give the absolute path of a file that this user may read.");
}

std::string text_of(const timespec& time) {
  return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec);
}

}  // namespace

Outcome<File> File::open(const std::filesystem::path& path) {
  // A pipe in the file's place must not block.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return unreadable(path, errno);
  File file(path, descriptor);
  if (::fstat(descriptor, &file.facts_) != 0) return unreadable(path, errno);
  if (!S_ISREG(file.facts_.st_mode)) return unreadable(path, EINVAL);
  return file;
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), facts_(other.facts_) {}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

std::string File::version() const {
  return std::to_string(facts_.st_ino) + "-" + std::to_string(facts_.st_size) + "-" +
         text_of(facts_.st_mtim) + "-" + text_of(facts_.st_ctim);
}

std::optional<Failure> File::add_to(Tree& tree) const {
  const std::string name = path_.filename().string();
  const auto size = static_cast<std::uint64_t>(facts_.st_size);
  if (size > tree.file_limit()) {
    static_cast<void>(tree.add_large(name, size));
    return std::nullopt;
  }
  // The file may grow meanwhile; its next version has the rest.
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got =
        ::pread(fd_, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path_, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  static_cast<void>(tree.add_file(name, bytes));  // the host knows its own failure
  return std::nullopt;
}

}  // namespace quarry::resource_local
