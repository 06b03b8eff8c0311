#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::http_server {

struct Header {
  std::string_view name;
  std::string_view value;
};

/// One request as received. Every view is valid until the handler's function returns.
struct Request {
  std::string_view method;
  std::string_view target;  // "/resources?x=1", origin form also when the absolute form was sent
  std::string_view path;    // up to the first '?', still percent-encoded
  std::string_view query;   // after it
  std::string_view host;    // authority of the Host field or of an absolute target
  std::string_view id;      // X-Request-Id of the client, or a new one
  std::string_view peer;    // canonical_ip of the peer, if ServerOptions::names_peers
  std::span<const Header> headers;
  std::string_view body;
  const void* sender = nullptr;  // see Handler::admit; null if that was not called
  bool http_1_0 = false;

  /// The value of the first field of this name (in any case), or nothing.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  /// The values of all fields of this name as one list: a list may be sent in several fields (RFC
  /// 9110, 5.3).
  [[nodiscard]] std::string list(std::string_view name) const;
  /// The value of `name` in the query, still percent-encoded, or nothing.
  [[nodiscard]] std::string_view parameter(std::string_view name) const;
  /// All values of `name` in the query, in their order.
  [[nodiscard]] std::vector<std::string_view> parameters(std::string_view name) const;
};

/// The value of the header `traceparent` (W3C Trace Context), unchecked; nothing if it is given
/// twice or is longer than anything useful.
[[nodiscard]] std::string_view traceparent(const Request& request);

/// True if two ASCII texts are equal, ignoring case.
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right);

}  // namespace quarry::http_server
