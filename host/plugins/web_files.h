#pragma once

#include "base/error.h"
#include "services/call.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// Request for one file.
struct WebRequest {
  std::string url;          ///< see is_safe_url()
  std::string etag = {};    ///< of the copy at hand; empty = there is none
  std::uint64_t limit = 0;  ///< of the file in bytes, after decompression
  std::chrono::milliseconds total{0};
};

struct WebResponse {
  bool unchanged = false;  ///< the copy at hand is current; nothing was written
  std::string etag;        ///< may be empty
};

/// Files on the web.
class WebFiles {
 public:
  virtual ~WebFiles() = default;
  using Write = std::function<Status(std::string_view bytes)>;
  /// Writes the file as it arrives. kNotFound if the server has none; kUnavailable and
  /// kDeadlineExceeded if a later attempt may succeed; kResourceExhausted beyond the limit;
  /// kPermissionDenied for an address that may not be reached. [worker]
  virtual Result<WebResponse> get(const services::Call& call, const WebRequest& request,
                                  const Write& write) = 0;
};

}  // namespace quarry::plugins
