#pragma once

#include <string_view>

namespace quarry::http_server {

/// Whether a Content-Type, parameters aside, is `type`.
[[nodiscard]] bool is_media_type(std::string_view content_type, std::string_view type);

/// How far an Accept field takes `type` ("text/event-stream"); `q=0` refuses.
enum class Accepts { kNot, kByWildcard, kByName };
/// A missing field takes everything, as "*/*" does.
[[nodiscard]] Accepts accepts(std::string_view field, std::string_view type);

}  // namespace quarry::http_server
