#include "resource-npm/url.h"

#include "package_source/text.h"

#include <algorithm>

namespace quarry::resource_npm {

std::optional<Url> plain_url(std::string_view text) {
  constexpr std::string_view kWrong = "?#\\\"<>`{}|^";
  const auto is_wrong = [&](char c) {
    return c <= ' ' || c >= 0x7f || kWrong.find(c) != kWrong.npos;
  };
  const std::string parts = package_source::lower(text) + "/";
  const bool has_dots = parts.find("/./") != parts.npos || parts.find("/../") != parts.npos ||
                        parts.find("%2e") != parts.npos;
  return has_dots || std::ranges::any_of(text, is_wrong) ? std::nullopt : Url::parse(text);
}

}  // namespace quarry::resource_npm
