#include "resource-archive/store.h"

#include <quarry/json.hpp>

#include <cstring>
#include <fstream>
#include <iterator>

namespace quarry::resource_archive {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return !file.fail();
}

CacheEntry open_or_make(const std::filesystem::path& cache, const std::string& key,
                        const CacheEntry::Wait& wait) {
  constexpr int kAttempts = 10;  // another process may make or remove the entry meanwhile
  for (int i = 0; i < kAttempts; ++i) {
    CacheEntry entry = CacheEntry::open(cache, key, CacheEntry::Lock::kExclusive, wait);
    if (entry || errno != ENOENT) return entry;
    CacheEntry made = CacheEntry::begin(cache);
    if (!made) return made;
    if (made.publish(key)) return made;
    if (errno != EEXIST) return {};
  }
  return {};
}

}  // namespace

std::string Validators::json() const {
  std::string out;
  if (!etag.empty()) out += "\"etag\":" + json::quoted(etag);
  if (last_modified.empty()) return out;
  return out + (out.empty() ? "" : ",") + "\"lastModified\":" + json::quoted(last_modified);
}

Validators Validators::from(std::string_view object) {
  return {json::string(object, "etag").value_or(""),
          json::string(object, "lastModified").value_or("")};
}

Outcome<Store> Store::open(const Host& host, const Call& call, const std::string& key,
                           const std::string& scratch) {
  Store store;
  const auto cache = CacheEntry::cache_of(host);
  if (cache.empty()) {
    store.directory_ = scratch;
    if (!scratch.empty()) return store;
    return Failure{QUARRY_UNSUPPORTED,
                   "this host gives plugins no folder for downloads",
                   "set sha256, which needs none before the fetch",
                   {}};
  }
  store.entry_ = open_or_make(cache, key, CacheEntry::until_over(host, call));
  const int number = errno;
  if (call.over()) return call.why();
  if (!store.entry_) {
    return Failure{QUARRY_INTERNAL,
                   "the folder for downloads cannot be used: " + std::string(std::strerror(number)),
                   "check the cache directory, as quarry config explain cache.directory names it",
                   {}};
  }
  store.entry_.touch();
  store.directory_ = store.entry_.path().string();
  return store;
}

std::optional<Facts> Store::facts() const {
  const std::string text = content_of(directory_ + "/facts.json");
  Facts facts{json::string(text, "sha256").value_or(""),
              static_cast<std::uint64_t>(json::integer(text, "size").value_or(-1)),
              Validators::from(text)};
  std::error_code failed;
  if (facts.sha256.size() != 64) return std::nullopt;
  if (std::filesystem::file_size(archive(), failed) != facts.size || failed) return std::nullopt;
  return facts;
}

bool Store::publish(const Facts& facts) const {
  std::error_code failed;
  std::filesystem::remove(directory_ + "/facts.json", failed);
  std::filesystem::remove(directory_ + "/partial.etag", failed);
  std::filesystem::rename(partial(), archive(), failed);
  if (failed) return false;
  const std::string validators = facts.validators.json();
  return write(directory_ + "/facts.json", "{\"sha256\":\"" + facts.sha256 +
                                               "\",\"size\":" + std::to_string(facts.size) +
                                               (validators.empty() ? "" : ",") + validators + "}");
}

void Store::remove_archive() const {
  std::error_code ignored;
  std::filesystem::remove(directory_ + "/facts.json", ignored);
  std::filesystem::remove(archive(), ignored);
}

std::string Store::partial_etag() const {
  return content_of(directory_ + "/partial.etag");
}

void Store::begin_partial(const std::string& etag) const {
  std::error_code ignored;
  const std::string note = directory_ + "/partial.etag";
  const bool strong = etag.size() > 2 && etag.front() == '"';
  if (!strong || !write(note, etag)) std::filesystem::remove(note, ignored);
}

void Store::remove_partial() const {
  std::error_code ignored;
  std::filesystem::remove(directory_ + "/partial.etag", ignored);
  std::filesystem::remove(partial(), ignored);
}

}  // namespace quarry::resource_archive
