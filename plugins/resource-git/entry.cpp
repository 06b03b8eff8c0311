#include "resource-git/entry.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace quarry::resource_git {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIdentityFile = "quarry-identity";
constexpr std::int64_t kLockPollMs = 10;

Failure cannot(const std::string& what, const fs::path& path, int number) {
  return {QUARRY_INTERNAL,
          "cannot " + what + " " + path.string() + ": " + std::strerror(number),
          "Check the cache directory: its owner, its mode and the space left.",
          {}};
}

std::string hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
  for (const unsigned char c : text) hash = (hash ^ c) * 1099511628211ull;
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[hash >> shift & 15];
  return out;
}

bool write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What `git init --bare` makes, as far as git needs it.
bool write_skeleton(const fs::path& path, const std::string& identity) {
  std::error_code failed;
  fs::create_directories(path / "objects/pack", failed);
  fs::create_directories(path / "refs/quarry", failed);
  return !failed && write_file(path / "HEAD", "ref: refs/heads/none\n") &&
         write_file(path / "config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n") &&
         write_file(path / kIdentityFile, identity);
}

int open_directory(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/// Waits for the lock as long as the call is wanted.
bool lock_alone(const Host& host, const Call& call, int directory) {
  const auto* clock = host.service<quarry_clock_v1>(QUARRY_CLOCK);
  while (::flock(directory, LOCK_EX | LOCK_NB) != 0) {
    if (call.over() || errno != EWOULDBLOCK) return false;
    if (clock != nullptr) {
      clock->sleep(clock, call.get(), kLockPollMs);
    } else {
      ::usleep(kLockPollMs * 1000);
    }
  }
  return true;
}

void remove_leftovers(const fs::path& directory, bool (*is_one)(const std::string& name)) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    if (is_one(entry.path().filename().string())) fs::remove_all(entry.path(), failed);
  }
}

}  // namespace

Entry::Identity Entry::identify(const std::string& url, const std::string& token, bool partial) {
  std::string readable;
  for (const char c : url.substr(std::min(url.find("://") + 3, url.size()))) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (readable.size() < 80) readable += plain ? c : '-';
  }
  const std::string text = url + "\n" + token + "\n" + (partial ? "partial" : "whole") + "\n";
  while (readable.starts_with('.')) readable.erase(0, 1);
  return {readable + "-" + hash_of(text), text};
}

Outcome<Entry> Entry::open(const Host& host, const Call& call, const fs::path& cache,
                           const Identity& identity) {
  const fs::path path = cache / identity.name;
  for (;;) {
    if (call.over()) return call.why();
    const int directory = open_directory(path);
    if (directory >= 0) {
      Entry entry(path, directory, false);
      if (!lock_alone(host, call, directory)) {
        return call.over() ? call.why() : cannot("lock", path, errno);
      }
      if (!entry.is_at_path()) continue;
      if (read_file(path / kIdentityFile) != identity.text) {
        entry.remove();
        continue;
      }
      entry.tidy();
      ::futimens(directory, nullptr);
      return entry;
    }
    if (errno != ENOENT) return cannot("open", path, errno);
    std::string building = (cache / ".new-XXXXXX").string();
    if (::mkdtemp(building.data()) == nullptr) return cannot("make a directory in", cache, errno);
    Entry entry(building, open_directory(building), true);
    if (entry.lock_ < 0 || ::flock(entry.lock_, LOCK_EX | LOCK_NB) != 0 ||
        !write_skeleton(building, identity.text)) {
      const int number = errno;
      entry.remove();
      return cannot("write", building, number);
    }
    if (::rename(building.c_str(), path.c_str()) == 0) {
      entry.path_ = path;
      return entry;
    }
    const int number = errno;
    entry.remove();
    if (number != EEXIST && number != ENOTEMPTY) return cannot("make", path, number);
  }
}

Entry::Entry(Entry&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)), fresh_(other.fresh_) {}

Entry& Entry::operator=(Entry&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  std::swap(fresh_, other.fresh_);
  return *this;
}

Entry::~Entry() {
  if (lock_ >= 0) ::close(lock_);
}

bool Entry::is_at_path() const {
  struct stat held {};
  struct stat there {};
  return ::fstat(lock_, &held) == 0 && ::lstat(path_.c_str(), &there) == 0 &&
         held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

bool Entry::has(const std::string& commit) const {
  return read_file(path_ / "refs/quarry" / commit) == commit + "\n";
}

Entry::Packs Entry::packs() const {
  std::error_code failed;
  Packs packs;
  for (const auto& file : fs::directory_iterator(path_ / "objects/pack", failed)) {
    if (file.path().extension() == ".idx") ++packs.count;
    if (file.path().extension() != ".pack") continue;
    const auto size = file.file_size(failed);
    if (!failed) packs.bytes += size;
  }
  return packs;
}

bool Entry::is_disk_full() const {
  constexpr std::uint64_t kLeast = 1 << 20;
  struct statvfs disk {};
  return ::fstatvfs(lock_, &disk) == 0 &&
         static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize < kLeast;
}

bool Entry::share() {
  return ::flock(lock_, LOCK_SH | LOCK_NB) == 0 && is_at_path();
}

void Entry::remove() {
  std::error_code failed;
  // Out of the way first: what is half removed must not be taken for an entry.
  const fs::path away = path_.parent_path() /
                        (".old-" + std::to_string(::getpid()) + "-" + path_.filename().string());
  fs::rename(path_, away, failed);
  fs::remove_all(failed ? path_ : away, failed);
}

void Entry::tidy() const {
  remove_leftovers(path_, [](const std::string& name) { return name.ends_with(".lock"); });
  remove_leftovers(path_ / "refs/quarry",
                   [](const std::string& name) { return name.ends_with(".lock"); });
  remove_leftovers(path_ / "objects/pack",
                   [](const std::string& name) { return name.starts_with("tmp_"); });
  remove_leftovers(path_ / "objects",
                   [](const std::string& name) { return name.starts_with("tmp_"); });
}

}  // namespace quarry::resource_git
