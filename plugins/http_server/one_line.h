#pragma once

#include <string>
#include <string_view>

namespace quarry::http_server {

/// Appends `json` in one line, for protocols whose messages are lines: between tokens a line break
/// becomes a space, inside a string it cannot occur unescaped. U+2028, U+2029 and U+0085, which may
/// occur there and where some readers end a line too, are escaped.
void append_one_line(std::string& out, std::string_view json);

}  // namespace quarry::http_server
