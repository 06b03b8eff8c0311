#include "resource-npm/wanted.h"

#include "package_source/text.h"

#include <algorithm>

namespace quarry::resource_npm {
namespace {

using package_source::trimmed;

constexpr std::size_t kLongestWanted = 256;

bool can_be_tag(std::string_view text) {
  constexpr std::string_view kTagMarks = "-_.!~*'()";
  return !text.empty() && text[0] != '-' && text[0] != '.' &&
         std::ranges::all_of(text, [&](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  kTagMarks.find(c) != kTagMarks.npos;
         });
}

std::string with_single_spaces(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text)) {
    const bool space = trimmed({&c, 1}).empty();
    if (!space)
      out += c;
    else if (!out.ends_with(' '))
      out += ' ';
  }
  return out;
}

}  // namespace

std::optional<Wanted> Wanted::parse(std::string_view text) {
  if (text.size() > kLongestWanted) return std::nullopt;
  std::string plain = with_single_spaces(text);
  if (plain.empty()) return std::nullopt;
  if (auto version = Version::parse(plain)) {
    plain = version->text();
    return Wanted{std::move(plain), std::move(version), {}};
  }
  auto range = Range::parse(plain);
  if (!range && !can_be_tag(plain)) return std::nullopt;
  return Wanted{std::move(plain), {}, std::move(range)};
}

}  // namespace quarry::resource_npm
