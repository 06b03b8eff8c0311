#pragma once

#include "failure.h"
#include "http_server/server.h"
#include "settings.h"

#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::engine_client {

/// The certificate and key of `tls`, read; null without `tls`. A failure names the file.
[[nodiscard]] std::expected<std::shared_ptr<http_server::TlsIdentity>, Failure> read_identity(
    const ServerSettings& settings);

/// Starts `server`; the value is the reply of a transport's start. A failure names the setting to
/// change in [transport.`name`].
[[nodiscard]] std::expected<std::string, Failure> start_listening(http_server::Server& server,
                                                                  std::string_view name);

}  // namespace quarry::engine_client
