#pragma once

#include "access.h"
#include "http_server/response.h"

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::mcp {

/// The answer to a request that is not let in; nothing when it is. In the same words for every
/// token that is wrong.
[[nodiscard]] std::optional<http_server::Response> refusal_of(
    const std::expected<Admission, Denial>& outcome);

/// Header lines about the requests of a token's minute, as of draft-ietf-httpapi-ratelimit-headers;
/// none when there is no limit.
[[nodiscard]] std::string budget_lines(const Admission& admission);

/// 429. `retry_after` is rounded up to seconds.
[[nodiscard]] http_server::Response too_many(std::string_view message,
                                             std::chrono::milliseconds retry_after);

}  // namespace quarry::mcp
