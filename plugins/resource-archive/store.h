#pragma once

#include <quarry/cache_entry.hpp>
#include <quarry/host.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_archive {

/// What the server said about an archive.
struct Validators {
  std::string etag;
  std::string last_modified;

  [[nodiscard]] bool empty() const { return etag.empty() && last_modified.empty(); }
  /// As members of a JSON object.
  [[nodiscard]] std::string json() const;
  static Validators from(std::string_view json);
};

struct Facts {
  std::string sha256;
  std::uint64_t size = 0;
  Validators validators;
};

/// A directory with the archive, its facts, and a download that was cut. Locked exclusively while
/// this object lives.
class Store {
 public:
  /// Opens or makes the directory for `key`. Without a cache, `scratch` is used, if it is not
  /// empty.
  static Outcome<Store> open(const Host& host, const Call& call, const std::string& key,
                             const std::string& scratch);

  [[nodiscard]] std::string archive() const { return directory_ + "/archive"; }
  /// The facts of the archive here; nothing when there is none.
  [[nodiscard]] std::optional<Facts> facts() const;
  /// Makes the download the archive.
  [[nodiscard]] bool publish(const Facts& facts) const;
  void remove_archive() const;

  [[nodiscard]] std::string partial() const { return directory_ + "/partial"; }
  /// The ETag of the download that was cut; empty when it cannot be continued.
  [[nodiscard]] std::string partial_etag() const;
  /// Says that a download begins; with a strong ETag it can be continued later.
  void begin_partial(const std::string& etag) const;
  void remove_partial() const;

 private:
  CacheEntry entry_;
  std::string directory_;
};

}  // namespace quarry::resource_archive
