#include "resource-npm/file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

namespace quarry::resource_npm {

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::optional<std::string> read_whole(int fd, std::size_t most) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || static_cast<std::size_t>(status.st_size) > most) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t read = ::read(fd, text.data() + have, text.size() - have);
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return std::nullopt;
    have += static_cast<std::size_t>(read);
  }
  return text;
}

Mapped::Mapped(const std::filesystem::path& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return;
  data_ = data;
  size_ = size;
}

Mapped::~Mapped() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace quarry::resource_npm
