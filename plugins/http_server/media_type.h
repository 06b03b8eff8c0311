#pragma once

#include <string_view>

namespace quarry::http_server {

/// True if a Content-Type, ignoring its parameters, is `type`.
[[nodiscard]] bool is_media_type(std::string_view content_type, std::string_view type);

/// Match of a type ("text/event-stream") with an Accept field; `q=0` excludes it.
enum class Accepts { kNot, kByWildcard, kByName };
/// A missing field accepts everything, like "*/*".
[[nodiscard]] Accepts accepts(std::string_view field, std::string_view type);

}  // namespace quarry::http_server
