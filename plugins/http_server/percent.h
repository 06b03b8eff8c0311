#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::http_server {

/// `text` with every %41 decoded; nothing when a '%' is not followed by two hexadecimal digits or
/// stands for NUL.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace quarry::http_server
