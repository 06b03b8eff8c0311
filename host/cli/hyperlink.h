#pragma once

#include <string>
#include <string_view>

namespace quarry::cli {

/// True if a terminal may be told to open `url`: printable ASCII without spaces, so that it can
/// hold no escape sequence.
[[nodiscard]] bool is_link_target(std::string_view url);

/// `drawn` as a link to `url` (OSC 8); `drawn` alone if `url` is no target.
[[nodiscard]] std::string hyperlink(std::string_view drawn, std::string_view url);

}  // namespace quarry::cli
