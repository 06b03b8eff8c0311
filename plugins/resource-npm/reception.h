#pragma once

#include "resource-npm/registry_failure.h"

#include <quarry/http.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace quarry::resource_npm {

/// The most bytes of an answer about a package, after decompression.
inline constexpr std::uint64_t kMostAnswer = std::uint64_t{256} << 20;

/// Asks a registry, and hands the body of status 200 to `take` as it comes, unpacked if the
/// registry packed it; a false answer ends the transfer. The value has the status, 200 or 304, and
/// the headers; its body is empty. Fails when the answer is damaged, larger than kMostAnswer, or
/// was given up by `take`: with QUARRY_UNAVAILABLE. [worker]
Outcome<HttpResponse> receive(const Host& host, const Call& call, const HttpRequest& request,
                              const Asked& asked,
                              const std::function<bool(std::string_view bytes)>& take);

}  // namespace quarry::resource_npm
