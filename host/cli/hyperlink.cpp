#include "cli/hyperlink.h"

#include <algorithm>

namespace quarry::cli {

bool is_link_target(std::string_view url) {
  return !url.empty() && std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7f; });
}

std::string hyperlink(std::string_view drawn, std::string_view url) {
  if (!is_link_target(url)) return std::string(drawn);
  std::string out = "\x1b]8;;";
  return out.append(url).append("\x1b\\").append(drawn).append("\x1b]8;;\x1b\\");
}

}  // namespace quarry::cli
