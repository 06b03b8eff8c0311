#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// What a file must hash to, as Subresource Integrity writes it (w3.org/TR/SRI): of several
/// algorithms only the strongest counts, and of its hashes one must be met.
class Integrity {
 public:
  /// Nothing when `text` names no hash that is known here: sha512, sha384, sha256 or sha1.
  static std::optional<Integrity> parse(std::string_view text);
  /// The sha1 in hexadecimal that old packages have instead.
  static std::optional<Integrity> of_shasum(std::string_view hexadecimal);

  /// "sha512-…": the strongest alone, in a form that is the same for the same hashes.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::string& algorithm() const { return algorithm_; }
  /// Whether `found` ("sha512-…") is one of the hashes.
  [[nodiscard]] bool admits(std::string_view found) const;
  /// Whether both can be met by one file.
  [[nodiscard]] bool agrees_with(const Integrity& other) const;

 private:
  std::string algorithm_;
  std::vector<std::string> hashes_;  // base64, sorted
};

/// Hashes what it is given in pieces.
class Hasher {
 public:
  /// `algorithm` of an Integrity.
  explicit Hasher(const std::string& algorithm);
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void add(std::string_view bytes);
  /// "sha512-…" of everything that was added. Once.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quarry::resource_npm
