#include "plugins/known_descriptions.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "plugins/compose.h"
#include "plugins/manifest.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace quarry::plugins {
namespace {

/// Bytes of the file above which it begins anew: those of plugins and tables of before stay in it.
constexpr std::size_t kMostDescribed = 1u << 20;
constexpr std::size_t kDigest = 64;

/// A line is the digests of plugin and component, and the description: "<64> <64> {…}".
std::string row_key(const std::string& plugin, std::string_view kind, std::string_view name,
                    std::string_view table) {
  return plugin + " " + sha256_hex(compose("{} {} {}", kind, name, table));
}

std::string time_of(const timespec& time) {
  return compose("{}.{}", time.tv_sec, time.tv_nsec);
}

}  // namespace

KnownDescriptions::KnownDescriptions(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) return;
  const auto text = read_file(path_, kMostDescribed);
  begins_anew_ = !text;
  if (!text) return;
  constexpr std::size_t kKey = 2 * kDigest + 1;
  for (const auto line : split(*text, '\n')) {
    if (line.size() < kKey + 2 || line[kKey] != ' ') continue;
    texts_.insert_or_assign(std::string(line.substr(0, kKey)), line.substr(kKey + 1));
  }
}

std::string KnownDescriptions::plugin_key(const Manifest& manifest, const struct stat& file,
                                          std::string_view host_version) {
  std::string text =
      compose("{} {} {} {} {} {} {}", manifest.own_sha256, host_version, file.st_dev, file.st_ino,
              file.st_size, time_of(file.st_mtim), time_of(file.st_ctim));
  const auto& secrets = manifest.permissions.secrets;
  for (const auto& name : manifest.environment) {
    const char* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr || *value == '\0') continue;
    // The file is not to tell anything about the value of a secret.
    const bool is_secret = std::ranges::find(secrets, name) != secrets.end();
    text += compose("\n{}={}", name, is_secret ? "" : value);
  }
  return sha256_hex(text);
}

bool KnownDescriptions::has(const std::string& plugin) const {
  const std::lock_guard lock(mutex_);
  const auto found = texts_.lower_bound(plugin);
  return found != texts_.end() && found->first.starts_with(plugin);
}

std::optional<Json> KnownDescriptions::find(const std::string& plugin, std::string_view kind,
                                            std::string_view name, std::string_view table) const {
  const std::string key = row_key(plugin, kind, name, table);
  const std::lock_guard lock(mutex_);
  const auto found = texts_.find(key);
  if (found == texts_.end()) return std::nullopt;
  auto json = parse_json(found->second);
  return json ? std::optional(std::move(*json)) : std::nullopt;
}

void KnownDescriptions::add(const std::string& plugin, std::string_view kind, std::string_view name,
                            std::string_view table, const Json& description) {
  if (path_.empty()) return;
  std::string key = row_key(plugin, kind, name, table);
  std::string text = to_text(description);
  const std::lock_guard lock(mutex_);
  if (const auto found = texts_.find(key); found != texts_.end() && found->second == text) return;
  std::error_code ignored;
  std::filesystem::create_directories(path_.parent_path(), ignored);
  const int mode = std::exchange(begins_anew_, false) ? O_TRUNC : O_APPEND;
  const Fd file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0600));
  if (file) static_cast<void>(write_all(file.get(), compose("{} {}\n", key, text)));
  texts_.insert_or_assign(std::move(key), std::move(text));
}

}  // namespace quarry::plugins
