#include "one_line.h"

#include <algorithm>
#include <array>

namespace quarry::http_server {
namespace {

struct LineEnd {
  std::string_view text;
  std::string_view instead;
};

constexpr std::array<LineEnd, 5> kLineEnds{{{"\n", " "},
                                            {"\r", " "},
                                            {"\xE2\x80\xA8", "\\u2028"},
                                            {"\xE2\x80\xA9", "\\u2029"},
                                            {"\xC2\x85", "\\u0085"}}};

}  // namespace

void append_one_line(std::string& out, std::string_view json) {
  if (std::ranges::none_of(kLineEnds,
                           [&](const LineEnd& end) { return json.contains(end.text); })) {
    out += json;
    return;
  }
  while (!json.empty()) {
    const auto end = std::ranges::find_if(
        kLineEnds, [&](const LineEnd& one) { return json.starts_with(one.text); });
    const bool is_end = end != kLineEnds.end();
    out += is_end ? end->instead : json.substr(0, 1);
    json.remove_prefix(is_end ? end->text.size() : 1);
  }
}

}  // namespace quarry::http_server
