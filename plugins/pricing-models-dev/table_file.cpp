#include "pricing-models-dev/table_file.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/file.h>

namespace quarry::pricing_models_dev {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{64} << 20;

/// A descriptor; -1 = none, with errno set.
class File {
 public:
  File(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(fd) == 0;
}

bool write_new(const fs::path& path, std::string_view bytes) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  return file.get() >= 0 && write_whole(file.get(), bytes);
}

}  // namespace

std::shared_ptr<const Table> TableFile::load() const {
  std::error_code absent;
  const std::uintmax_t size = fs::file_size(path_, absent);
  if (absent || size > kMaxFileBytes) return nullptr;
  std::string text(size, '\0');
  std::ifstream in(path_, std::ios::binary);
  if (!in.read(text.data(), static_cast<std::streamsize>(size))) return nullptr;
  return Table::read(std::move(text));
}

std::string TableFile::store(const Table& table) const {
  // The lock admits one writer at a time, so the temporary file has a fixed name and cannot
  // accumulate.
  const File directory(path_.parent_path(), O_RDONLY | O_DIRECTORY);
  const fs::path part = path_.string() + ".new";
  if (directory.get() >= 0 && ::flock(directory.get(), LOCK_EX) == 0 &&
      write_new(part, table.text()) && ::rename(part.c_str(), path_.c_str()) == 0 &&
      ::fsync(directory.get()) == 0) {
    return {};
  }
  const std::error_code reason(errno, std::generic_category());
  return path_.string() + " cannot be written: " + reason.message();
}

}  // namespace quarry::pricing_models_dev
