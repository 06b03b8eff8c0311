/// Hashes of files, as an index states them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_pypi {

struct Hash {
  std::string algorithm;  ///< as hashlib names it: "sha256"
  std::string hex;        ///< in lower case

  /// "sha256=…"
  [[nodiscard]] std::string text() const { return algorithm + "=" + hex; }
  /// False for MD5 and SHA-1, for which other files of the same hash can be made.
  [[nodiscard]] bool is_strong() const;
  bool operator==(const Hash&) const = default;

  /// Reads "sha256=…"; nullopt for an unknown algorithm or a value of the wrong form.
  static std::optional<Hash> parse(std::string_view text);
  static std::optional<Hash> make(std::string_view algorithm, std::string_view hex);
};

/// The hash to rely on, of those of one file; nullopt when none is known.
std::optional<Hash> best_of(const std::map<std::string, std::string>& hashes);

/// The name of `algorithm`, one that Hash::parse accepts, in OpenSSL.
std::string openssl_name_of(std::string_view algorithm);

}  // namespace quarry::resource_pypi
