#include "base/file.h"

#include "base/mapping_guard.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace quarry {
namespace fs = std::filesystem;

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  unguard_mapping(data_);
  ::munmap(data_, state_.size);
}

MappedFile::State MappedFile::state_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::size_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

bool MappedFile::has_changed() const {
  if (data_ == nullptr) return false;
  if (lost_pages(data_)) return true;
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return false;
  const State now = state_of(status);
  const bool is_same = now.device == state_.device && now.inode == state_.inode;
  return is_same && (now.size != state_.size || now.modified_ns != state_.modified_ns);
}

Result<MappedFile> MappedFile::open(const fs::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return system_error(path.string(), errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{Code::kInvalidArgument, path.string() + ": not a regular file"};
  }
  MappedFile file;
  file.path_ = path;
  file.state_ = state_of(status);
  if (file.state_.size == 0) return file;
  void* data = ::mmap(nullptr, file.state_.size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return system_error(path.string(), errno);
  file.data_ = data;
  guard_mapping(data, file.state_.size);
  return file;
}

namespace {

Error lock_error(const fs::path& path, int number) {
  if (number == EWOULDBLOCK) {
    return Error{Code::kUnavailable, path.string() + " is locked by another process"};
  }
  return system_error(path.string(), number);
}

Result<Fd> lock_file(const fs::path& path, int operation) {
  std::error_code ignored;
  const int flags = fs::is_directory(path, ignored) ? O_RDONLY : O_RDWR | O_CREAT;
  Fd fd(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (!fd) return system_error(path.string(), errno);
  int result = 0;
  do {
    result = ::flock(fd.get(), operation);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return lock_error(path, errno);
  return fd;
}

int flock_mode(FileLock::Mode mode) {
  return mode == FileLock::Mode::kShared ? LOCK_SH : LOCK_EX;
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::size_t limit) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return system_error(path.string(), errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{Code::kInvalidArgument, path.string() + ": not a regular file"};
  }
  std::string bytes;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path.string(), errno);
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > limit) {
      return Error{Code::kResourceExhausted,
                   path.string() + ": larger than " + std::to_string(limit) + " bytes"};
    }
  }
}

Status restrict_to_owner(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int number = errno;
    if (::lstat(path.c_str(), &status) != 0) return system_error(path.string(), number);
    return Error{Code::kPermissionDenied,
                 path.string() + " is a link to a file that does not exist",
                 "Mount or restore the file, or remove the link."};
  }
  const auto refuse = [&](const std::string& cause) {
    return Error{Code::kPermissionDenied, path.string() + " is not used: " + cause,
                 "Check its content; it must be a regular file of your own with mode 0600."};
  };
  if (!S_ISREG(status.st_mode)) return refuse("it is not a regular file");
  if (status.st_uid != ::geteuid()) {
    return refuse("it belongs to another user (uid " + std::to_string(status.st_uid) + ")");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return refuse("others may write to it");
  if ((status.st_mode & 077) == 0) return {};
  if (::chmod(path.c_str(), 0600) != 0) return system_error(path.string(), errno);
  return {};
}

Status create_private_directories(const fs::path& directory) {
  std::error_code ignored;
  if (fs::is_directory(directory, ignored)) return {};
  const fs::path parent = directory.parent_path();
  if (!parent.empty() && parent != directory) {
    if (Status made = create_private_directories(parent); !made) return made;
  }
  const int number = ::mkdir(directory.c_str(), 0700) == 0 ? 0 : errno;
  // Another process may have created it meanwhile.
  if (number == 0 || (number == EEXIST && fs::is_directory(directory, ignored))) return {};
  return system_error("cannot create the directory " + directory.string(), number);
}

Status sync_directory(const fs::path& directory) {
  const Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return system_error(directory.string(), errno);
  return {};
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

int seal_memory_file(int fd) {
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  // EBUSY means that the kernel still refers to a page that was just written, as happens on a busy
  // machine. Each try waits for it up to 150 ms, in the kernel.
  for (int tries = 20;; --tries) {
    if (::fcntl(fd, F_ADD_SEALS, kSeals) == 0) return 0;
    if (errno != EBUSY || tries == 1) return errno;
  }
}

Status write_file_atomically(const fs::path& path, std::string_view bytes) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::string temporary = (parent / ("." + path.filename().string() + ".XXXXXX")).string();
  const Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return system_error(temporary, errno);
  struct stat old {};
  if (::stat(path.c_str(), &old) == 0) ::fchmod(fd.get(), old.st_mode & 07777);
  Status written = write_all(fd.get(), bytes);
  if (written && ::fsync(fd.get()) != 0) written = system_error("fsync", errno);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = system_error("rename", errno);
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return std::move(written).error().in(path.string());
  }
  return sync_directory(parent);
}

Result<fs::path> make_temp_directory(const fs::path& parent, std::string_view prefix) {
  std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) return system_error(name, errno);
  return fs::path(name);
}

Result<FileLock> FileLock::acquire(const fs::path& path, Mode mode) {
  auto fd = lock_file(path, flock_mode(mode));
  if (!fd) return std::move(fd).error();
  return FileLock(std::move(*fd));
}

Result<FileLock> FileLock::try_acquire(const fs::path& path, Mode mode) {
  auto fd = lock_file(path, flock_mode(mode) | LOCK_NB);
  if (!fd) return std::move(fd).error();
  return FileLock(std::move(*fd));
}

}  // namespace quarry
