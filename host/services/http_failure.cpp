#include "services/http_transfer.h"

#include <cerrno>
#include <system_error>

// Translates libcurl codes to errors for users.

namespace quarry::services {
namespace {

constexpr const char* kTlsHint =
    "check the server's certificate; for a private authority set SSL_CERT_FILE";
constexpr const char* kProxyHint = "check HTTPS_PROXY, HTTP_PROXY and NO_PROXY";
constexpr const char* kNetworkHint = "check the network, and HTTPS_PROXY if there is a proxy";

Error unavailable(std::string message, std::string hint) {
  return {Code::kUnavailable, std::move(message), std::move(hint)};
}

std::string reason(const char* detail, const char* general) {
  return *detail ? detail : general;
}

}  // namespace

Error HttpTransfer::failure(CURLcode code) const {
  const HttpUrl url = this->url();
  const std::string at = url.origin();
  const std::string why =
      reason(request_state_ ? request_state_->detail : "", context_.curl.easy_strerror(code));
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return unavailable("the name " + url.host + " could not be resolved",
                         "check the spelling and the network's name service");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return unavailable("the name of the proxy for " + at + " could not be resolved", kProxyHint);
    case CURLE_PROXY:
      return unavailable("the proxy did not connect to " + at + ": " + why, kProxyHint);
    case CURLE_COULDNT_CONNECT: {
      long number = 0;
      context_.curl.easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number);
      if (number == ECONNREFUSED && proxied_)
        return unavailable("the proxy for " + at + " refused the connection", kProxyHint);
      if (number == ECONNREFUSED)
        return unavailable(at + " refused the connection",
                           "check that the server runs and listens there");
      return unavailable(
          "no connection to " + at + ": " +
              (number ? std::generic_category().message(static_cast<int>(number)) : why),
          kNetworkHint);
    }
    case CURLE_OPERATION_TIMEDOUT:  // of connecting
      return unavailable(
          "no connection to " + at + " within " +
              std::to_string(request_state_ ? request_state_->options.connect.count() : 0) + " ms",
          kNetworkHint);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return unavailable("no TLS connection to " + at + ": " + why, kTlsHint);
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_GOT_NOTHING:
      if (!head_done_)
        return unavailable(at + " closed the connection without a response", "try again");
      return unavailable("the connection to " + at + " broke after " + std::to_string(received_) +
                             " bytes of the response",
                         "try again");
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
      return unavailable(at + " did not send an HTTP response: " + why,
                         "check that the URL is that of an HTTP server");
    case CURLE_OUT_OF_MEMORY:
      return {Code::kResourceExhausted, "no memory for the request to " + at};
    default:
      return unavailable("the request to " + at + " failed: " + why, kNetworkHint);
  }
}

}  // namespace quarry::services
