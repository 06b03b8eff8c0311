#pragma once

#include "access.h"
#include "http_server/response.h"

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::mcp {

/// The response to a request that is not admitted; nothing if it is. The same text for every wrong
/// token.
[[nodiscard]] std::optional<http_server::Response> refusal_of(
    const std::expected<Admission, Denial>& outcome);

/// Header lines with the request limit of a token, by draft-ietf-httpapi-ratelimit-headers-10; none
/// if there is no limit.
[[nodiscard]] std::string budget_lines(const Admission& admission);

/// 429. `retry_after` is rounded up to seconds.
[[nodiscard]] http_server::Response too_many(std::string_view message,
                                             std::chrono::milliseconds retry_after);

}  // namespace quarry::mcp
