#pragma once

#include <string>
#include <string_view>

namespace quarry::http_server {

/// `json` with \ufffd for each escape of half a surrogate pair, which JSON parsers refuse: programs
/// that cut a text between two UTF-16 units write it.
[[nodiscard]] std::string without_lone_surrogates(std::string_view json);

}  // namespace quarry::http_server
