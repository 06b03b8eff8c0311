#pragma once

#include <string_view>

namespace quarry::http_server {

/// The token of "Bearer <token>" (the scheme in any case); empty if there is none.
[[nodiscard]] std::string_view bearer_token(std::string_view authorization);

/// True if both are equal. The time taken depends on the length of `given` only.
[[nodiscard]] bool equal_in_constant_time(std::string_view secret, std::string_view given);

}  // namespace quarry::http_server
