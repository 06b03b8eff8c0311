#include "resources/directory_lock.h"

#include <cerrno>
#include <fcntl.h>

#include <sys/file.h>
#include <sys/stat.h>

namespace quarry::resources {
namespace fs = std::filesystem;

namespace {

Error lock_error(const fs::path& directory, int number) {
  if (number == EWOULDBLOCK) {
    return {Code::kUnavailable, directory.string() + " is in use"};
  }
  Error error = system_error("cannot lock " + directory.string(), number);
  error.hint = "Put the cache on a local disk: directory in [cache].";
  return error;
}

int flock_mode(DirectoryLock::Mode mode) {
  return mode == DirectoryLock::Mode::kShared ? LOCK_SH : LOCK_EX;
}

}  // namespace

Result<DirectoryIdentity> identity_of(const fs::path& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) return system_error(directory.string(), errno);
  return DirectoryIdentity{status.st_dev, status.st_ino};
}

Result<DirectoryLock> DirectoryLock::try_acquire(const fs::path& directory, Mode mode) {
  return lock(directory, flock_mode(mode) | LOCK_NB);
}

Result<DirectoryLock> DirectoryLock::acquire(const fs::path& directory, Mode mode) {
  return lock(directory, flock_mode(mode));
}

Result<DirectoryLock> DirectoryLock::lock(const fs::path& directory, int operation) {
  Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat locked {};
  if (!fd || ::fstat(fd.get(), &locked) != 0) return system_error(directory.string(), errno);
  int result = 0;
  do {
    result = ::flock(fd.get(), operation);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return lock_error(directory, errno);
  const DirectoryIdentity identity{locked.st_dev, locked.st_ino};
  const auto now = identity_of(directory);
  if (!now) return now.error();
  if (*now != identity) return Error{Code::kNotFound, directory.string() + " was just replaced"};
  return DirectoryLock(std::move(fd), identity);
}

}  // namespace quarry::resources
