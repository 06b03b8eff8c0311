#pragma once

#include "failure.h"
#include "http_server/server.h"

#include <expected>
#include <string>
#include <string_view>

namespace quarry::engine_client {

/// Starts `server`; the value is the reply of a transport's start. A failure names the setting to
/// change in [transport.`name`].
[[nodiscard]] std::expected<std::string, Failure> start_listening(http_server::Server& server,
                                                                  std::string_view name);

}  // namespace quarry::engine_client
