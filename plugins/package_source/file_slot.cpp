#include "package_source/file_slot.h"

#include <quarry/json.hpp>

#include <cstring>
#include <system_error>

namespace quarry::package_source {

namespace {

constexpr std::uint64_t kMostNote = 64 << 10;
constexpr std::uint64_t kMostInMemory = std::uint64_t{256} << 20;

bool write_note(const std::filesystem::path& path, std::string_view text) {
  const File file = File::create(path);
  return file && file.truncate() && file.write(0, text);
}

CacheEntry open_or_make(const std::filesystem::path& cache, const std::string& name,
                        const CacheEntry::Wait& wait) {
  constexpr int kAttempts = 10;  // another process may make or remove the entry meanwhile
  for (int i = 0; i < kAttempts; ++i) {
    CacheEntry entry = CacheEntry::open(cache, name, CacheEntry::Lock::kExclusive, wait);
    if (entry || errno != ENOENT) return entry;
    CacheEntry made = CacheEntry::begin(cache);
    if (!made) return made;
    if (made.publish(name)) return made;
    if (errno != EEXIST) return {};
  }
  return {};
}

}  // namespace

Outcome<FileSlot> FileSlot::open(const Host& host, const Call& call, const std::string& name,
                                 std::uint64_t most, std::string_view scratch) {
  FileSlot slot;
  const auto cache = CacheEntry::cache_of(host);
  if (cache.empty()) {
    slot.directory_ = scratch;
    if (!scratch.empty() || most <= kMostInMemory) return slot;
    return Failure{QUARRY_UNSUPPORTED, "this host gives plugins no folder for downloads", {}, {}};
  }
  slot.entry_ = open_or_make(cache, name, CacheEntry::until_over(host, call));
  const int number = errno;
  if (call.over()) return call.why();
  if (!slot.entry_) {
    return Failure{QUARRY_INTERNAL,
                   "the folder for downloads cannot be used: " + std::string(std::strerror(number)),
                   "check the cache directory, as quarry config explain cache.directory names it",
                   {}};
  }
  slot.entry_.touch();
  slot.directory_ = slot.entry_.path();
  return slot;
}

std::optional<FileSlot> FileSlot::find(const Host& host, const Call& call,
                                       const std::string& name) {
  FileSlot slot;
  slot.entry_ = CacheEntry::open(CacheEntry::cache_of(host), name, CacheEntry::Lock::kShared,
                                 CacheEntry::until_over(host, call));
  if (!slot.entry_) return std::nullopt;
  slot.entry_.touch();
  slot.directory_ = slot.entry_.path();
  if (!slot.file()) return std::nullopt;
  return slot;
}

const File& FileSlot::file() {
  if (!file_ && !directory_.empty()) file_ = File::open(path("file"));
  return file_;
}

std::optional<FileFacts> FileSlot::facts() {
  const std::string text = File::open(path("facts.json")).read_whole(kMostNote).value_or("");
  FileFacts facts{json::string(text, "sha256").value_or(""),
                  static_cast<std::uint64_t>(json::integer(text, "size").value_or(-1)),
                  Validators::from(text)};
  if (facts.sha256.size() != 64 || !file() || file().size() != facts.size) return std::nullopt;
  return facts;
}

bool FileSlot::publish(const FileFacts& facts) {
  file_ = std::move(partial_);
  if (directory_.empty()) return true;
  std::error_code failed;
  std::filesystem::remove(path("facts.json"), failed);
  std::filesystem::remove(path("partial.etag"), failed);
  std::filesystem::remove_all(path("file"), failed);  // it may be a folder
  std::filesystem::rename(path("partial"), path("file"), failed);
  if (failed) return false;
  const std::string validators = facts.validators.json();
  return write_note(path("facts.json"), "{\"sha256\":\"" + facts.sha256 +
                                            "\",\"size\":" + std::to_string(facts.size) +
                                            (validators.empty() ? "" : ",") + validators + "}");
}

void FileSlot::remove_file() {
  file_ = {};
  std::error_code ignored;
  if (directory_.empty()) return;
  std::filesystem::remove(path("facts.json"), ignored);
  std::filesystem::remove_all(path("file"), ignored);
}

void FileSlot::remove() {
  remove_file();
  remove_partial();
  if (entry_) entry_.remove();
}

const File& FileSlot::partial() {
  if (!partial_) partial_ = directory_.empty() ? File::in_memory() : File::create(path("partial"));
  return partial_;
}

std::string FileSlot::partial_etag() const {
  return directory_.empty() ? std::string()
                            : File::open(path("partial.etag")).read_whole(kMostNote).value_or("");
}

void FileSlot::begin_partial(const std::string& etag) const {
  if (directory_.empty()) return;
  std::error_code ignored;
  const bool strong = etag.size() > 2 && etag.front() == '"';
  if (!strong || !write_note(path("partial.etag"), etag)) {
    std::filesystem::remove(path("partial.etag"), ignored);
  }
}

void FileSlot::remove_partial() {
  partial_ = {};
  std::error_code ignored;
  if (directory_.empty()) return;
  std::filesystem::remove(path("partial.etag"), ignored);
  std::filesystem::remove_all(path("partial"), ignored);
}

}  // namespace quarry::package_source
