#pragma once

#include "resource-npm/registry_failure.h"

#include <quarry/http.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace quarry::resource_npm {

/// Maximum bytes of a response about a package, after decompression.
inline constexpr std::uint64_t kMostAnswer = std::uint64_t{256} << 20;

/// Sends a request to a registry and passes the body of status 200 to `take` as it arrives,
/// decompressed; returning false ends the transfer. The value has the status, 200 or 304, and the
/// headers; its body is empty. Fails when the response is damaged, larger than kMostAnswer, or was
/// rejected by `take`: with QUARRY_UNAVAILABLE. [worker]
Outcome<HttpResponse> receive(const Host& host, const Call& call, const HttpRequest& request,
                              const Asked& asked,
                              const std::function<bool(std::string_view bytes)>& take);

}  // namespace quarry::resource_npm
