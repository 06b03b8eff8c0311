#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// RFC 4648, section 4, with padding.
std::string to_base64(std::string_view bytes);
/// Nothing for text that is none. Padding may be missing.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace quarry::resource_npm
