#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// The expected hash of a file, in the form of Subresource Integrity (w3.org/TR/SRI): only the
/// strongest of several algorithms counts, and one of its hashes must match.
class Integrity {
 public:
  /// nullopt when `text` contains no supported hash: sha512, sha384, sha256 or sha1.
  static std::optional<Integrity> parse(std::string_view text);
  /// From the hexadecimal sha1 that old packages have instead.
  static std::optional<Integrity> of_shasum(std::string_view hexadecimal);

  /// "sha512-…": only the strongest, in a canonical form.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::string& algorithm() const { return algorithm_; }
  /// True if `found` ("sha512-…") is one of the hashes.
  [[nodiscard]] bool admits(std::string_view found) const;
  /// True if one file can match both.
  [[nodiscard]] bool agrees_with(const Integrity& other) const;

 private:
  std::string algorithm_;
  std::vector<std::string> hashes_;  // base64, sorted
};

}  // namespace quarry::resource_npm
