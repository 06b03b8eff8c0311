#include "resource-npm/kept_packuments.h"

#include "resource-npm/file.h"
#include "resource-npm/integrity.h"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

namespace quarry::resource_npm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "packument.json";
constexpr const char* kNewFile = ".packument.json";
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

bool is_at(int fd, const fs::path& path) {
  struct stat mine {
  }, there{};
  return ::fstat(fd, &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/// The directory, locked; none when there is none. Whoever removes entries moves them away first,
/// so the lock counts only while the path still leads here.
File lock(const fs::path& directory, int how) {
  File held(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!held || ::flock(held.get(), how) != 0 || !is_at(held.get(), directory)) return File();
  return held;
}

/// Puts the file into a directory that is locked, so that it is there whole or not at all.
bool put(int directory, std::string_view text) {
  const File file(
      ::openat(directory, kNewFile, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file && write_whole(file.get(), text) && ::fsync(file.get()) == 0 &&
         ::renameat(directory, kNewFile, directory, kFile) == 0 && ::fsync(directory) == 0;
}

std::string why(const fs::path& path) {
  return path.string() +
         " cannot be written: " + std::error_code(errno, std::generic_category()).message();
}

/// Makes the entry under a name that is swept after a crash, then gives it its own.
std::string make_entry(const fs::path& cache, const fs::path& entry, std::string_view text) {
  std::string fresh = (cache / ".new-XXXXXX").string();
  if (::mkdtemp(fresh.data()) == nullptr) return why(cache);
  const File held = lock(fresh, LOCK_EX);
  const bool made = held && put(held.get(), text) && ::rename(fresh.c_str(), entry.c_str()) == 0;
  if (made) return {};
  const bool other_was_quicker = errno == ENOTEMPTY || errno == EEXIST;
  std::string wrong = other_was_quicker ? std::string() : why(entry);
  std::error_code ignored;
  fs::remove_all(fresh, ignored);
  return wrong;
}

}  // namespace

fs::path KeptPackuments::entry_of(const std::string& url) const {
  Hasher hasher("sha256");
  hasher.add(url);
  std::string name = hasher.finish().substr(sizeof "sha256-" - 1, 32);
  for (char& c : name) {
    if (c == '/' || c == '+') c = c == '/' ? '_' : '-';
  }
  return cache_ / ("packument-" + name);
}

std::optional<Packument> KeptPackuments::load(const std::string& url) const {
  if (cache_.empty()) return std::nullopt;
  const File entry = lock(entry_of(url), LOCK_SH);
  if (!entry) return std::nullopt;
  const File file(::openat(entry.get(), kFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return std::nullopt;
  ::futimens(entry.get(), nullptr);  // it was used now, so others are evicted before it
  const auto text = read_whole(file.get(), kMostBytes);
  return text ? Packument::read(*text) : std::nullopt;
}

std::string KeptPackuments::store(const std::string& url, const Packument& packument) const {
  if (cache_.empty()) return {};
  const fs::path path = entry_of(url);
  const std::string text = packument.text();
  if (const File entry = lock(path, LOCK_EX)) {
    return put(entry.get(), text) ? std::string() : why(path);
  }
  return make_entry(cache_, path, text);
}

}  // namespace quarry::resource_npm
