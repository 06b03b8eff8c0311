#pragma once

#include "request.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::http_server {

/// Protects a server that a browser on the same machine can reach: rejects web pages that rebind
/// their own host name to this address (by Host) and pages of other origins (by Origin).
struct AccessPolicy {
  std::vector<std::string> allowed_hosts;    // names besides IP literals and "localhost"
  std::vector<std::string> allowed_origins;  // "https://app.example", besides our own

  enum class Verdict { kAllowed, kForeignHost, kForeignOrigin };
  [[nodiscard]] Verdict check(const Request& request) const;

  /// True if `origin` is one of allowed_origins, and so may read responses in a browser.
  [[nodiscard]] bool is_configured_origin(std::string_view origin) const;
};

}  // namespace quarry::http_server
