#include "corpus/snapshot/beneath.h"

#include "base/text.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace quarry::corpus {
namespace {

int open_beneath(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const char* name = path.empty() ? "." : path.c_str();
  const auto fd = static_cast<int>(::syscall(SYS_openat2, root, name, &how, sizeof how));
  return fd < 0 && errno == ENOSYS ? open_step_by_step(root, path, flags) : fd;
}

}  // namespace

int open_step_by_step(int root, std::string_view path, int flags) {
  Fd directory(::openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (path.empty()) return ::openat(root, ".", flags);
  const auto names = split(path, '/');
  for (std::size_t i = 0; i + 1 < names.size() && directory; ++i) {
    const std::string name(names[i]);
    if (name == "..") {
      errno = EXDEV;
      return -1;
    }
    directory =
        Fd(::openat(directory.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!directory) return -1;
  if (names.back() == "..") {
    errno = EXDEV;
    return -1;
  }
  return ::openat(directory.get(), std::string(names.back()).c_str(), flags | O_NOFOLLOW);
}

Result<Beneath> Beneath::open(const std::filesystem::path& root) {
  Fd fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return system_error(root.string(), errno);
  return Beneath(std::move(fd));
}

std::filesystem::path Beneath::path() const {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(root_.get()), error);
}

Result<Fd> Beneath::open_file(const std::string& path) const {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (!access_time_.load(std::memory_order_relaxed)) {
    Fd quiet(open_beneath(root_.get(), path, kFlags | O_NOATIME));
    if (quiet || errno != EPERM) {
      if (!quiet) return system_error(path, errno);
      return quiet;
    }
  }
  Fd fd(open_beneath(root_.get(), path, kFlags));
  if (!fd) return system_error(path, errno);
  // Only the owner may use O_NOATIME; do not try it again for the next files.
  access_time_.store(true, std::memory_order_relaxed);
  return fd;
}

Result<Fd> Beneath::open_directory(const std::string& path) const {
  Fd fd(open_beneath(root_.get(), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return system_error(path, errno);
  return fd;
}

Result<std::string> Beneath::read(const std::string& path, std::size_t limit) const {
  const auto fd = open_file(path);
  if (!fd) return fd.error();
  struct stat status {};
  if (::fstat(fd->get(), &status) != 0) return system_error(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{Code::kInvalidArgument, path + ": not a regular file"};
  }
  std::string bytes;
  // One byte more than expected, so that the first read detects the end.
  bytes.resize(std::min(static_cast<std::size_t>(status.st_size), limit) + 1);
  std::size_t filled = 0;
  for (;;) {
    const ssize_t got = ::read(fd->get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, errno);
    filled += static_cast<std::size_t>(got);
    if (filled > limit) {
      return Error{Code::kResourceExhausted,
                   path + ": larger than " + std::to_string(limit) + " bytes"};
    }
    if (got == 0) break;
    if (filled == bytes.size()) bytes.resize(std::min(filled * 2, limit + 1));
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace quarry::corpus
