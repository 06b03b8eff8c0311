#pragma once

#include "ask/http_transfers.h"
#include "ask/model.h"
#include "ask/retry.h"
#include "base/clock.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace boost::asio {
class io_context;
}

namespace quarry::ask {

/// Returns the value of a secret by name; may run a command. [worker]
using GetSecret = std::function<Result<std::string>(std::string_view name, std::stop_token)>;

/// Fills in the secrets of a request, and adds the header `traceparent` unless it is empty.
/// kUnauthenticated if there is no such secret. [worker]
Status complete_request(services::HttpRequest& request, const GetSecret& secret,
                        const std::string& traceparent, const std::stop_token& stop);

/// Dependencies of a model that is asked over HTTP; must outlive the model and its steps.
struct ExchangeDependencies {
  boost::asio::io_context& io;  ///< run by one thread
  Executor& workers;
  HttpTransfers& transfers;
  const Clock& clock;
  GetSecret secret;
  RetryPolicy retry = {};
  std::chrono::milliseconds idle{120'000};  ///< longest time without data from the provider
  std::chrono::milliseconds tick{1'000};    ///< after which a stream is told that time has passed
};

/// A model whose provider has the exchange form. A request is retried only while no part of its
/// response was passed to the provider; the body of an error response is passed when it is the
/// last.
std::shared_ptr<Model> make_exchange_model(std::shared_ptr<plugins::ModelProvider> provider,
                                           ExchangeDependencies dependencies);

}  // namespace quarry::ask
