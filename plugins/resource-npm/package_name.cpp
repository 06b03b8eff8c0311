#include "resource-npm/package_name.h"

#include <algorithm>

namespace quarry::resource_npm {
namespace {

constexpr std::size_t kLongestName = 214;  // npm's limit, the scope included

/// True for a character that URLs contain unescaped.
bool is_plain(char c) {
  constexpr std::string_view kMarks = "-_.!~*'()";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(c) != kMarks.npos;
}

std::string reason_against_part(std::string_view part, std::string_view what) {
  if (part.empty()) return std::string(what) + " is empty";
  if (part[0] == '.' || part[0] == '_' || part[0] == '-') {
    return std::string(what) + " begins with \"" + part[0] + "\"";
  }
  const auto wrong = std::ranges::find_if_not(part, is_plain);
  if (wrong == part.end()) return {};
  if (static_cast<unsigned char>(*wrong) <= ' ') return "it holds white space";
  if (static_cast<unsigned char>(*wrong) >= 0x7f) return "it holds something other than ASCII";
  return std::string("it holds \"") + *wrong + "\"";
}

}  // namespace

std::string_view scope_of(std::string_view name) {
  return name.starts_with('@') ? name.substr(0, name.find('/')) : std::string_view();
}

std::string reason_against_name(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name.size() > kLongestName) return "it is longer than 214 characters";
  if (name == "node_modules" || name == "favicon.ico") return "npm reserves that name";
  if (!name.starts_with('@')) return reason_against_part(name, "it");
  const auto slash = name.find('/');
  if (slash == name.npos) return "a scope needs a package after it";
  const std::string wrong = reason_against_part(name.substr(1, slash - 1), "the scope");
  return wrong.empty() ? reason_against_part(name.substr(slash + 1), "the part after the scope")
                       : wrong;
}

std::string name_in_url(std::string_view name) {
  std::string out(name);
  if (const auto slash = out.find('/'); slash != out.npos) out.replace(slash, 1, "%2f");
  return out;
}

}  // namespace quarry::resource_npm
