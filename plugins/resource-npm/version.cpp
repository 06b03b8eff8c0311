#include "resource-npm/version.h"

#include "package_source/text.h"

#include <algorithm>

namespace quarry::resource_npm {
namespace {

using package_source::trimmed;

constexpr std::size_t kLongestVersion = 256;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_numeric(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}

std::string_view take_identifier(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_identifier);
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

/// Numbers sort before words, and compare as numbers of any length.
std::strong_ordering compare_identifiers(std::string_view left, std::string_view right) {
  const bool left_number = is_numeric(left), right_number = is_numeric(right);
  if (left_number != right_number) {
    return left_number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (left_number && left.size() != right.size()) return left.size() <=> right.size();
  return left <=> right;
}

std::strong_ordering compare_prereleases(const std::vector<std::string>& left,
                                         const std::vector<std::string>& right) {
  if (left.empty() || right.empty())
    return right.size() <=> left.size();  // no prerelease sorts last
  return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(),
                                                right.end(), compare_identifiers);
}

bool skip_build(std::string_view& text) {
  if (!text.starts_with('+')) return true;
  do {
    text.remove_prefix(1);
    if (take_identifier(text).empty()) return false;
  } while (text.starts_with('.'));
  return true;
}

bool skip(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

bool is_identifier(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::size_t size = 0;
  std::uint64_t number = 0;
  while (size < text.size() && is_digit(text[size])) {
    number = number * 10 + static_cast<std::uint64_t>(text[size++] - '0');
    if (number > kLargestNumber) return std::nullopt;
  }
  if (size == 0 || (size > 1 && text[0] == '0')) return std::nullopt;
  text.remove_prefix(size);
  return number;
}

std::optional<std::vector<std::string>> take_prerelease(std::string_view& text) {
  std::vector<std::string> out;
  do {
    const std::string_view identifier = take_identifier(text);
    const bool zeros = identifier.size() > 1 && identifier[0] == '0' && is_numeric(identifier);
    if (identifier.empty() || zeros) return std::nullopt;
    out.emplace_back(identifier);
  } while (skip(text, '.'));
  return out;
}

std::optional<Version> Version::parse(std::string_view text) {
  if (text.size() > kLongestVersion) return std::nullopt;
  text = trimmed(text);
  skip(text, 'v');
  Version out;
  for (std::uint64_t* part : {&out.major, &out.minor, &out.patch}) {
    if (part != &out.major && !skip(text, '.')) return std::nullopt;
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    *part = *number;
  }
  if (skip(text, '-')) {
    auto prerelease = take_prerelease(text);
    if (!prerelease) return std::nullopt;
    out.prerelease = std::move(*prerelease);
  }
  if (!skip_build(text) || !text.empty()) return std::nullopt;
  return out;
}

std::string Version::text() const {
  std::string out =
      std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
  for (std::size_t i = 0; i < prerelease.size(); ++i) out += (i == 0 ? '-' : '.') + prerelease[i];
  return out;
}

std::strong_ordering operator<=>(const Version& left, const Version& right) {
  if (const auto order = left.major <=> right.major; order != 0) return order;
  if (const auto order = left.minor <=> right.minor; order != 0) return order;
  if (const auto order = left.patch <=> right.patch; order != 0) return order;
  return compare_prereleases(left.prerelease, right.prerelease);
}

bool operator==(const Version& left, const Version& right) {
  return (left <=> right) == 0;
}

}  // namespace quarry::resource_npm
