#include "resource-debian/version.h"

#include "resource-debian/text.h"

namespace quarry::resource_debian {
namespace {

constexpr std::size_t kLongestName = 256;

bool only(std::string_view text, std::string_view marks) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_digit(c) || is_letter(c) || marks.find(c) != std::string_view::npos;
  });
}

// The order of a character: '~' before the end of the part, letters before other characters.
int order(std::string_view text, std::size_t at) {
  if (at >= text.size() || is_digit(text[at])) return 0;
  if (text[at] == '~') return -1;
  return is_letter(text[at]) ? text[at] : text[at] + 256;
}

std::string_view digits(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view out = text.substr(0, end);
  text.remove_prefix(end);
  while (!out.empty() && out.front() == '0') out.remove_prefix(1);
  return out;
}

// Compares an upstream version or a revision: parts without digits and numbers take turns.
int compare_part(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    std::size_t at = 0;
    while ((at < a.size() && !is_digit(a[at])) || (at < b.size() && !is_digit(b[at]))) {
      if (const int less = order(a, at) - order(b, at); less != 0) return less;
      ++at;
    }
    a.remove_prefix(std::min(at, a.size()));
    b.remove_prefix(std::min(at, b.size()));
    const std::string_view x = digits(a);
    const std::string_view y = digits(b);
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    if (const int less = x.compare(y); less != 0) return less;
  }
  return 0;
}

std::string_view epoch(std::string_view version) {
  const std::size_t colon = version.find(':');
  return colon == std::string_view::npos ? std::string_view() : version.substr(0, colon);
}

std::string_view revision(std::string_view version) {
  const std::size_t dash = version.rfind('-');
  return dash == std::string_view::npos ? std::string_view() : version.substr(dash + 1);
}

}  // namespace

bool is_package_name(std::string_view text) {
  return text.size() >= 2 && text.size() <= kLongestName &&
         (is_digit(text[0]) || (text[0] >= 'a' && text[0] <= 'z')) && only(text, "+-.") &&
         text == lower(text);
}

bool is_version(std::string_view text) {
  if (text.empty() || text.size() > kLongestName) return false;
  const std::string_view number = epoch(text);
  if (!number.empty() && !std::all_of(number.begin(), number.end(), is_digit)) return false;
  const std::string_view rest = without_epoch(text);
  return !rest.empty() && text.front() != ':' && is_digit(rest.front()) && only(rest, ".+~-");
}

bool is_suite_name(std::string_view text) {
  if (text.empty() || text.size() > 128 || !only(text, "-._/") || text.front() == '/') return false;
  while (!text.empty()) {
    const std::size_t slash = text.find('/');
    if (slash == 0 || text.front() == '.') return false;
    text.remove_prefix(slash == std::string_view::npos ? text.size() : slash + 1);
    if (slash != std::string_view::npos && text.empty()) return false;
  }
  return true;
}

bool is_security_suite(std::string_view suite) {
  return suite.ends_with("-security") || suite.ends_with("/updates");
}

bool is_component_name(std::string_view text) {
  return is_suite_name(text);
}

int compare_versions(std::string_view a, std::string_view b) {
  if (const int less = compare_part(epoch(a), epoch(b)); less != 0) return less;
  if (const int less = compare_part(upstream_version(a), upstream_version(b)); less != 0) {
    return less;
  }
  return compare_part(revision(a), revision(b));
}

std::string_view without_epoch(std::string_view version) {
  const std::size_t colon = version.find(':');
  return colon == std::string_view::npos ? version : version.substr(colon + 1);
}

std::string_view upstream_version(std::string_view version) {
  version = without_epoch(version);
  return version.substr(0, version.rfind('-'));
}

std::string_view without_rebuild(std::string_view version) {
  const std::size_t plus = version.rfind("+b");
  if (plus == std::string_view::npos || plus + 2 == version.size()) return version;
  const std::string_view number = version.substr(plus + 2);
  return std::all_of(number.begin(), number.end(), is_digit) ? version.substr(0, plus) : version;
}

}  // namespace quarry::resource_debian
