#include "surrogates.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace quarry::http_server {
namespace {

constexpr std::size_t kEscape = 6;  // bytes of "\ud83d"

/// The UTF-16 unit whose escape begins at byte `at`; 0 if there is none.
unsigned unit_at(std::string_view json, std::size_t at) {
  const std::string_view escape = json.substr(std::min(at, json.size()), kEscape);
  if (escape.size() < kEscape || !escape.starts_with("\\u")) return 0;
  unsigned unit = 0;
  const auto read = std::from_chars(escape.data() + 2, escape.data() + kEscape, unit, 16);
  return read.ptr == escape.data() + kEscape ? unit : 0;
}

bool is_high(unsigned unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low(unsigned unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

std::string without_lone_surrogates(std::string_view json) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = json.find('\\'); at != json.npos; at = json.find('\\', at)) {
    const unsigned unit = unit_at(json, at);
    if (is_high(unit) && is_low(unit_at(json, at + kEscape))) {
      at += 2 * kEscape;
    } else if (is_high(unit) || is_low(unit)) {
      out.append(json, copied, at - copied).append("\\ufffd");
      at += kEscape;
      copied = at;
    } else {
      at += 2;  // past the escaped character, which may be a backslash
    }
  }
  return out.append(json.substr(copied));
}

}  // namespace quarry::http_server
