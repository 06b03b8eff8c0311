/// Versions and version specifiers of Python packages (PEP 440).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_pypi {

/// A number of any length, as digits without leading zeros.
struct Number {
  std::string digits = "0";
  bool operator==(const Number&) const = default;
  std::strong_ordering operator<=>(const Number& other) const;
};

/// One version: epoch!release, then pre, post, dev and local parts.
struct Version {
  Number epoch;
  std::vector<Number> release;
  std::string pre_letter;  ///< "a", "b" or "rc"; empty = no pre-release part
  Number pre;
  std::optional<Number> post;
  std::optional<Number> dev;
  std::vector<std::string> local;

  /// Reads a version in any spelling that PEP 440 accepts, normalised.
  static std::optional<Version> parse(std::string_view text);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_prerelease() const { return !pre_letter.empty() || dev.has_value(); }
  /// This version without its local part.
  [[nodiscard]] Version without_local() const;
  /// Epoch and release only.
  [[nodiscard]] Version base() const;
  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == 0; }
};

/// One clause such as ">=2.0" or "==2.*".
struct Clause {
  std::string op;
  std::string text;  ///< the version as written in normal form, with ".*" for a prefix
  Version version;   ///< of every operator but "==="
  bool prefix = false;

  [[nodiscard]] bool matches(const Version& candidate) const;
};

/// A set of clauses, all of which must match; without any, every version does.
class Specifier {
 public:
  /// Reads "", "2.31" (the same as "==2.31"), ">=2,<3". `fault` receives the first clause that
  /// cannot be read.
  static std::optional<Specifier> parse(std::string_view text, std::string* fault = nullptr);

  [[nodiscard]] bool matches(const Version& candidate) const;
  /// True when a clause names a pre-release, which admits pre-releases.
  [[nodiscard]] bool admits_prereleases() const;
  /// True when a clause names one version, which admits yanked files.
  [[nodiscard]] bool is_pinned() const;
  /// The clauses in a fixed order, joined by ','.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool empty() const { return clauses_.empty(); }

 private:
  std::vector<Clause> clauses_;
};

}  // namespace quarry::resource_pypi
