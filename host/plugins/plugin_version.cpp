#include "plugins/plugin_version.h"

#include "base/text.h"

#include <algorithm>
#include <vector>

namespace quarry::plugins {
namespace {

struct Parts {
  std::string_view release;
  std::string_view pre_release;
};

Parts parts_of(std::string_view version) {
  version = version.substr(0, version.find('+'));
  const auto dash = version.find('-');
  if (dash == version.npos) return {version, {}};
  return {version.substr(0, dash), version.substr(dash + 1)};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// Of any length, so that no number is too large.
std::weak_ordering compare_numbers(std::string_view left, std::string_view right) {
  left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
  right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
  if (left.size() != right.size()) return left.size() <=> right.size();
  return left <=> right;
}

std::weak_ordering compare_identifiers(std::string_view left, std::string_view right) {
  if (is_number(left) && is_number(right)) return compare_numbers(left, right);
  if (is_number(left) != is_number(right)) return is_number(right) <=> is_number(left);
  return left <=> right;
}

/// `missing` stands for the identifiers that the shorter list lacks; empty = it precedes.
std::weak_ordering compare_lists(std::string_view left, std::string_view right,
                                 std::string_view missing) {
  const auto a = split(left, '.');
  const auto b = split(right, '.');
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (missing.empty() && (i >= a.size() || i >= b.size())) return a.size() <=> b.size();
    const auto order =
        compare_identifiers(i < a.size() ? a[i] : missing, i < b.size() ? b[i] : missing);
    if (order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

}  // namespace

std::weak_ordering compare_versions(std::string_view left, std::string_view right) {
  const auto a = parts_of(left);
  const auto b = parts_of(right);
  const auto order = compare_lists(a.release, b.release, "0");
  if (order != 0) return order;
  if (a.pre_release.empty() != b.pre_release.empty()) {
    return a.pre_release.empty() <=> b.pre_release.empty();
  }
  return compare_lists(a.pre_release, b.pre_release, "");
}

bool is_pre_release(std::string_view version) {
  return !parts_of(version).pre_release.empty();
}

}  // namespace quarry::plugins
