#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// A version in npm's order (semver.org 2.0.0; the part after "+" is ignored and dropped).
struct Version {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::vector<std::string> prerelease;

  /// "1.2.3-beta.1", with white space around it or "v" before it; nullopt for any other text.
  static std::optional<Version> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool same_release(const Version& other) const {
    return major == other.major && minor == other.minor && patch == other.patch;
  }
};

std::strong_ordering operator<=>(const Version& left, const Version& right);
bool operator==(const Version& left, const Version& right);

/// The largest number of a version, since npm stores them as JavaScript numbers.
inline constexpr std::uint64_t kLargestNumber = (std::uint64_t{1} << 53) - 1;

/// True for a character of an identifier, such as those of "beta-2".
bool is_identifier(char c);
/// Removes a number without leading zeros from the front of `text`.
std::optional<std::uint64_t> take_number(std::string_view& text);
/// Removes ".identifier" parts such as "beta.1" from the front of `text`, as after "-".
std::optional<std::vector<std::string>> take_prerelease(std::string_view& text);

}  // namespace quarry::resource_npm
