#include "package_source/kept_document.h"

#include "package_source/digest.h"
#include "package_source/file.h"

#include <quarry/cache_entry.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace quarry::package_source {

namespace {

constexpr const char* kFile = "document";
constexpr const char* kNewFile = ".document";
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// The digest is before the text, because damage within it need not show otherwise.
std::string text_of(const Document& document) {
  const std::string text = "{" + document.validators.json() + "}\n" + document.body;
  return sha256_hex(text) + "\n" + text;
}

bool write_document(const std::filesystem::path& directory, std::string_view text) {
  const File file = File::create(directory / kNewFile);
  std::error_code failed;
  if (std::filesystem::is_directory(directory / kFile)) {
    std::filesystem::remove_all(directory / kFile, failed);
  }
  if (!file || !file.truncate() || !file.write(0, text)) return false;
  return ::rename((directory / kNewFile).c_str(), (directory / kFile).c_str()) == 0;
}

}  // namespace

std::optional<Document> kept_document(const Host& host, const std::string& name) {
  const auto entry = CacheEntry::open(CacheEntry::cache_of(host), name, CacheEntry::Lock::kShared);
  if (!entry) return std::nullopt;
  entry.touch();
  const auto text = File::open(entry.path() / kFile).read_whole(kMostBytes);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const std::string_view digest = take_line(rest);
  if (digest != sha256_hex(rest)) return std::nullopt;
  const auto validators = Validators::from(take_line(rest));
  return Document{std::string(rest), validators};
}

std::string keep_document(const Host& host, const std::string& name, const Document& document) {
  const auto cache = CacheEntry::cache_of(host);
  if (cache.empty()) return {};
  auto entry = CacheEntry::open(cache, name, CacheEntry::Lock::kExclusive);
  const bool is_new = !entry;
  if (is_new) entry = CacheEntry::begin(cache);
  if (entry && write_document(entry.path(), text_of(document)) &&
      (!is_new || entry.publish(name) || errno == EEXIST)) {
    return {};
  }
  return cache.string() +
         " cannot be written: " + std::error_code(errno, std::generic_category()).message();
}

}  // namespace quarry::package_source
