#pragma once

#include "ask/exchange_model.h"

#include <stop_token>
#include <string>

namespace quarry::ask {

/// Fills in the secrets of a request, and adds the header `traceparent` unless it is empty.
/// kUnauthenticated if there is no such secret. [worker]
Status complete_request(services::HttpRequest& request, const GetSecret& secret,
                        const std::string& traceparent, const std::stop_token& stop);

}  // namespace quarry::ask
