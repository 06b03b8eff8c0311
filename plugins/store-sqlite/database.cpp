#include "store-sqlite/database.h"

#include "store-sqlite/connection.h"
#include "store-sqlite/explain.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

namespace quarry::store_sqlite {
namespace {

constexpr std::chrono::milliseconds kLockInterval{5};

/// Owns a file descriptor, and so its locks.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

/// Locks the file's directory. SQLite fails instead of waiting while another process creates a file
/// and switches it to WAL, so all processes that do it wait here.
Outcome<Descriptor> lock_directory(const std::filesystem::path& directory, const Call& call) {
  Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) return explained_errno(errno, directory.string());
  while (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return explained_errno(errno, directory.string());
    if (call.over()) return call.why();
    std::this_thread::sleep_for(kLockInterval);
  }
  return opened;
}

/// Checks that an existing file belongs to this user, and sets its mode to 0600.
Outcome<store_sql::Done> restrict_to_owner(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return explained_errno(errno, file.string());
  const bool is_foreign = status.st_uid != ::geteuid();
  if (is_foreign || !S_ISREG(status.st_mode) || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Failure{QUARRY_PERMISSION_DENIED,
                   file.string() + " is not used: " +
                       (is_foreign ? "it belongs to another user"
                                   : "it is not a regular file, or others may write to it"),
                   "Check its content; it must be a regular file of your own with mode 0600.",
                   {}};
  }
  if ((status.st_mode & 077) == 0 || ::chmod(file.c_str(), 0600) == 0) return store_sql::Done{};
  return explained_errno(errno, file.string());
}

/// Creates the file with mode 0600, since SQLite would use the umask; SQLite gives its companion
/// files the same mode. An existing file is not opened: closing it would drop the locks of other
/// connections.
Outcome<store_sql::Done> make_private(const std::filesystem::path& file) {
  const Descriptor made(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (made.get() >= 0) return store_sql::Done{};
  return errno == EEXIST ? restrict_to_owner(file) : explained_errno(errno, file.string());
}

}  // namespace

store_sql::Dialect SqliteDatabase::dialect() const {
  return {.identity = "INTEGER PRIMARY KEY",
          .has_schema = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'quarry_schema'",
          .lock = {}};
}

bool SqliteDatabase::exists() const {
  struct stat status {};
  return ::stat(file_.c_str(), &status) == 0 || errno != ENOENT;
}

Outcome<std::unique_ptr<store_sql::Connection>> SqliteDatabase::connect(const Call& call) {
  const auto locked = lock_directory(file_.parent_path(), call);
  if (!locked) return locked.failure();
  if (auto made = make_private(file_); !made) return made.failure();
  auto connection = SqliteConnection::open(file_, turn_, call);
  if (!connection) return connection.failure();
  return std::unique_ptr<store_sql::Connection>(std::move(*connection));
}

}  // namespace quarry::store_sqlite
