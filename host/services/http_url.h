#pragma once

#include "services/curl_library.h"

#include <string>

namespace quarry::services {

/// A URL as parsed by libcurl itself.
struct HttpUrl {
  std::string text;    ///< normalised: numeric hosts in dotted form
  std::string scheme;  ///< "http" or "https"
  std::string host;    ///< without the brackets of IPv6
  std::string port;

  /// `text`, relative to `base` when that is not empty. kInvalidArgument unless it is http or https
  /// with a host and without user and password; the message never contains the URL, which may hold
  /// a secret.
  static Result<HttpUrl> parse(const Curl& curl, const std::string& text,
                               const std::string& base = {});
  /// "https://host:port", for messages and for comparing.
  [[nodiscard]] std::string origin() const;
};

}  // namespace quarry::services
