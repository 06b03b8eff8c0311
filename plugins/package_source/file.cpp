#include "package_source/file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

namespace quarry::package_source {

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

File File::open(const std::filesystem::path& path) {
  return File(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
}

File File::create(const std::filesystem::path& path) {
  return File(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
}

File File::in_memory() {
  return File(::memfd_create("quarry", MFD_CLOEXEC));
}

std::uint64_t File::size() const {
  struct stat facts {};
  return ::fstat(descriptor_, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

std::int64_t File::read_some(std::uint64_t offset, char* out, std::size_t count) const {
  ssize_t got = -1;
  do {
    got = ::pread(descriptor_, out, count, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

std::optional<std::string> File::read(std::uint64_t offset, std::uint64_t count) const {
  const std::uint64_t size = this->size();
  if (offset > size || count > size - offset) return std::nullopt;
  std::string out(count, '\0');
  for (std::size_t done = 0; done < out.size();) {
    const auto got = read_some(offset + done, out.data() + done, out.size() - done);
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return out;
}

std::optional<std::string> File::read_whole(std::uint64_t most) const {
  const std::uint64_t size = this->size();
  return descriptor_ < 0 || size > most ? std::nullopt : read(0, size);
}

bool File::write(std::uint64_t offset, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t done =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    offset += static_cast<std::uint64_t>(done);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

bool File::truncate() const {
  return ::ftruncate(descriptor_, 0) == 0;
}

}  // namespace quarry::package_source
