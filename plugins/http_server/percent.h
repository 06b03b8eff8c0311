#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::http_server {

/// Decodes percent encoding ("%41"); nothing if a '%' is not followed by two hexadecimal digits or
/// encodes NUL.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace quarry::http_server
