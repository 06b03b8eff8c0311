#pragma once

#include "base/error.h"
#include "plugins/instance.h"
#include "services/http_request.h"

#include <quarry/http_types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace quarry::plugins {

/// The request of an exchange. kInternal, naming the plugin, if it is not a valid HTTP request or
/// has a secret that the plugin may not read. [any]
Result<services::HttpRequest> read_exchange_request(const Instance& instance,
                                                    const quarry_http_request* said);

/// Headers of a response in the form of the contract, which must outlive this.
class LentHeaders {
 public:
  explicit LentHeaders(std::span<const services::HttpHeader> headers);
  LentHeaders(const LentHeaders&) = delete;
  LentHeaders& operator=(const LentHeaders&) = delete;
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(pointers_.size()); }
  [[nodiscard]] const quarry_header* const* data() const { return pointers_.data(); }

 private:
  std::vector<quarry_header> headers_;
  std::vector<const quarry_header*> pointers_;
};

}  // namespace quarry::plugins
