#include "store-sqlite/database.h"

#include "store-sqlite/connection.h"
#include "store-sqlite/explain.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <sys/file.h>

namespace quarry::store_sqlite {
namespace {

constexpr std::chrono::milliseconds kLookAgain{5};

/// An open file or directory, with its locks.
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

/// Locks the file's directory. SQLite does not wait its turn while a file is made and switched to
/// WAL, so all who do it wait here.
Outcome<Descriptor> lock_directory(const std::filesystem::path& directory, const Call& call) {
  Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) return explained_errno(errno, directory.string());
  while (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return explained_errno(errno, directory.string());
    if (call.over()) return call.why();
    std::this_thread::sleep_for(kLookAgain);
  }
  return opened;
}

/// What SQLite makes with the umask's mode is made here with ours; its companions take it over.
/// A file that is there is not opened: closing it would drop the locks of other connections.
Outcome<store_sql::Done> make_private(const std::filesystem::path& file) {
  const Descriptor made(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (made.get() < 0 && errno != EEXIST) return explained_errno(errno, file.string());
  return store_sql::Done{};
}

}  // namespace

store_sql::Dialect SqliteDatabase::dialect() const {
  return {.identity = "INTEGER PRIMARY KEY",
          .has_schema = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'quarry_schema'",
          .lock = {}};
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
