#include "resource-git/entry.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/statvfs.h>

namespace quarry::resource_git {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIdentityFile = "quarry-identity";

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

/// The readable part of the file. (An iterator over the buffer would throw on a directory.)
std::string read_file(const fs::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return std::move(out).str();
}

/// Writes the part of `git init --bare` that git requires.
bool write_skeleton(const fs::path& path, const std::string& identity) {
  std::error_code failed;
  fs::create_directories(path / "objects/pack", failed);
  fs::create_directories(path / "refs/quarry", failed);
  return !failed && write_file(path / "HEAD", "ref: refs/heads/none\n") &&
         write_file(path / "config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n") &&
         write_file(path / kIdentityFile, identity);
}

/// What is in a directory, as far as it can be listed.
std::vector<fs::path> paths_in(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code failed;
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    paths.push_back(entry->path());
  }
  return paths;
}

void remove_leftovers(const fs::path& directory, bool (*is_one)(const std::string& name)) {
  std::error_code failed;
  for (const auto& path : paths_in(directory)) {
    if (is_one(path.filename().string())) fs::remove_all(path, failed);
  }
}

}  // namespace

Entry::Identity Entry::identify(const std::string& url, const std::string& reader, bool partial) {
  std::string readable;
  for (const char c : url.substr(std::min(url.find("://") + 3, url.size()))) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (readable.size() < 80) readable += plain ? c : '-';
  }
  const std::string text = url + "\n" + reader + "\n" + (partial ? "partial" : "whole") + "\n";
  while (readable.starts_with('.')) readable.erase(0, 1);
  return {readable + "-" + hash_of(text), text};
}

Outcome<Entry> Entry::open(const Host& host, const Call& call, const fs::path& cache,
                           const Identity& identity) {
  for (;;) {
    if (call.over()) return call.why();
    CacheEntry held = CacheEntry::open(cache, identity.name, CacheEntry::Lock::kExclusive,
                                       CacheEntry::until_over(host, call));
    const int number = errno;
    if (!held && number == ECANCELED) return call.why();
    if (!held && number != ENOENT) return cannot("open", cache / identity.name, number);
    if (held && read_file(held.path() / kIdentityFile) != identity.text) {
      held.remove();
      continue;
    }
    if (held) {
      Entry entry(std::move(held), false);
      entry.tidy();
      entry.held_.touch();
      return entry;
    }
    auto made = make(cache, identity);
    if (made || made.failure().status != QUARRY_UNAVAILABLE) return made;
  }
}

/// Creates an entry; QUARRY_UNAVAILABLE when another process created it first.
Outcome<Entry> Entry::make(const fs::path& cache, const Identity& identity) {
  CacheEntry begun = CacheEntry::begin(cache);
  if (!begun) return cannot("make a directory in", cache, errno);
  if (!write_skeleton(begun.path(), identity.text)) return cannot("write", begun.path(), errno);
  if (begun.publish(identity.name)) return Entry(std::move(begun), true);
  if (errno == EEXIST) return Failure{QUARRY_UNAVAILABLE, "it exists already", {}, {}};
  return cannot("make", cache / identity.name, errno);
}

bool Entry::has(const std::string& commit) const {
  return read_file(path() / "refs/quarry" / commit) == commit + "\n";
}

Entry::Packs Entry::packs() const {
  std::error_code failed;
  Packs packs;
  for (const auto& file : paths_in(path() / "objects/pack")) {
    if (file.extension() == ".idx") ++packs.count;
    if (file.extension() != ".pack") continue;
    const auto size = fs::file_size(file, failed);
    if (!failed) packs.bytes += size;
  }
  return packs;
}

bool Entry::is_disk_full() const {
  constexpr std::uint64_t kLeast = 1 << 20;
  struct statvfs disk {};
  return ::fstatvfs(held_.directory(), &disk) == 0 &&
         static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize < kLeast;
}

void Entry::tidy() const {
  remove_leftovers(path(), [](const std::string& name) { return name.ends_with(".lock"); });
  remove_leftovers(path() / "refs/quarry",
                   [](const std::string& name) { return name.ends_with(".lock"); });
  remove_leftovers(path() / "objects/pack",
                   [](const std::string& name) { return name.starts_with("tmp_"); });
  remove_leftovers(path() / "objects",
                   [](const std::string& name) { return name.starts_with("tmp_"); });
}

}  // namespace quarry::resource_git
