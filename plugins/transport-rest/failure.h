#pragma once

#include "engine_client/failure.h"
#include "http_server/response.h"

#include <string_view>

namespace quarry::rest {

using engine_client::Failure;

/// The HTTP status of a tag, see docs/http-api.md; 500 for an unknown one.
[[nodiscard]] int status_of_tag(std::string_view tag);

/// The error body {error, tag, code?, hint?, details?} with its status. `code` distinguishes
/// failures with the same tag: a resource that cannot be loaded may be "unavailable" or
/// "unauthenticated".
[[nodiscard]] http_server::Response error_response(const Failure& failure);
[[nodiscard]] http_server::Response error_response(int status, std::string_view tag,
                                                   std::string_view message,
                                                   std::string_view hint = {});
/// The error body for the data of an `error` event.
[[nodiscard]] http_server::Response error_response_of_event(std::string_view event_json);

}  // namespace quarry::rest
