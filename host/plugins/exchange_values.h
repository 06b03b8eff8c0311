#pragma once

#include "base/error.h"
#include "plugins/instance.h"
#include "services/http_request.h"

#include <quarry/http_types.h>

#include <span>
#include <vector>

namespace quarry::plugins {

/// Copies the request of an exchange. kInternal, naming the plugin, if it is not a valid HTTP
/// request, contains a secret that the plugin may not read, or goes to a host that neither the
/// manifest nor the description's endpoint names.
Result<services::HttpRequest> read_exchange_request(const Instance& instance,
                                                    const quarry_http_request* said);

/// Headers of a response as the contract passes them; `headers` must outlive it.
class LentHeaders {
 public:
  explicit LentHeaders(std::span<const services::HttpHeader> headers);
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(lent_.size()); }
  [[nodiscard]] const quarry_header* const* data() const { return pointers_.data(); }

 private:
  std::vector<quarry_header> lent_;
  std::vector<const quarry_header*> pointers_;
};

}  // namespace quarry::plugins
