// Group calls: the functions of model providers, each as far as the one before it returned.

#include "conformance/checks.h"
#include "conformance/steps.h"
#include "plugins/compose.h"

#include <quarry/model.h>

namespace quarry::conformance {
namespace {

using plugins::compose;
using plugins::ModelExchange;
using plugins::ModelProvider;

using ProviderCheck = std::function<Verdict(const Made&, ModelProvider&)>;

Verdict for_each_provider(Trial& trial, ModelProvider::Form form, const ProviderCheck& check) {
  return for_each(trial, QUARRY_MODEL, [&](Generation&, const Made& made) {
    trial.at(made, "describe");
    const auto provider = plugins::adapt_model(made.instance);
    if (!provider) return judge(provider.error());
    static_cast<void>(new std::shared_ptr(*provider));
    if ((*provider)->form() != form) return skips("it has the other form");
    return check(made, **provider);
  });
}

using ExchangeCheck = std::function<Verdict(const Made&, ModelExchange&)>;

/// Runs `check` on an exchange for each chat request, and leaves it undestroyed.
Verdict for_each_exchange(Trial& trial, const ExchangeCheck& check) {
  return for_each_provider(trial, ModelProvider::Form::kExchange,
                           [&](const Made& made, ModelProvider& provider) {
                             for (const auto& chat_request : chat_requests()) {
                               trial.at(made, "begin");
                               auto exchange = provider.begin(chat_request);
                               if (!exchange) return judge(exchange.error());
                               const Verdict verdict = check(made, *exchange->release());
                               if (verdict.outcome != Outcome::kPass) return verdict;
                             }
                             return Verdict();
                           });
}

std::vector<services::HttpHeader> headers() {
  return {{"content-type", "text/event-stream", ""}};
}

}  // namespace

Verdict begin_replies(Trial& trial) {
  return for_each_exchange(trial, [](const Made&, ModelExchange&) { return Verdict(); });
}

Verdict request_valid(Trial& trial) {
  return for_each_exchange(trial, [&](const Made& made, ModelExchange& exchange) {
    trial.at(made, "request");
    for (int attempt = 0; attempt < 2; ++attempt) {  // the second is a retry
      if (const auto request = exchange.request(); !request) return judge(request.error());
    }
    return Verdict();
  });
}

Verdict head_returns(Trial& trial) {
  return for_each_exchange(trial, [&](const Made& made, ModelExchange& exchange) {
    IgnoringSink sink;
    static_cast<void>(exchange.request());
    trial.at(made, "head");
    exchange.head(200, headers(), sink);
    return Verdict();
  });
}

Verdict data_returns(Trial& trial) {
  return for_each_exchange(trial, [&](const Made& made, ModelExchange& exchange) {
    IgnoringSink sink;
    static_cast<void>(exchange.request());
    exchange.head(200, headers(), sink);
    trial.at(made, "data");
    exchange.data(canned_responses(trial.options().seed).front().body, sink);
    return Verdict();
  });
}

Verdict end_ends_step(Trial& trial) {
  return for_each_recorded(trial, [&](const Made& made, RecordedModel& model) {
    if (!model.is_exchange()) return skips("it has the generate form");
    for (const auto& response : canned_responses(trial.options().seed)) {
      const auto step = exchange_step(trial, made, model, response);
      if (!step) return judge(step.error());
      if (step->ends == 0) {
        return fails(compose("it ended without finish or error, for {}", response.name),
                     "call finish or error of the sink, at the latest in end");
      }
    }
    return Verdict();
  });
}

Verdict destroy_exchange_returns(Trial& trial) {
  return for_each_exchange(trial, [&](const Made& made, ModelExchange& exchange) {
    trial.at(made, "destroy_exchange");
    delete &exchange;
    return Verdict();
  });
}

Verdict generate_ends_step(Trial& trial) {
  return for_each_recorded(trial, [&](const Made& made, RecordedModel& model) {
    if (model.is_exchange()) return skips("it has the exchange form");
    for (const auto& chat_request : chat_requests()) {
      const auto step = generate_step(trial, made, model, chat_request);
      if (step.ends == 0) {
        return fails("generate returned without finish or error",
                     "call finish or error of the sink, at the latest before generate returns");
      }
    }
    return Verdict();
  });
}

Verdict models_replies(Trial& trial) {
  return for_each(trial, QUARRY_MODEL, [&](Generation&, const Made& made) {
    trial.at(made, "describe");
    const auto provider = plugins::adapt_model(made.instance);
    if (!provider) return judge(provider.error());
    static_cast<void>(new std::shared_ptr(*provider));
    trial.at(made, "models");
    const auto models = (*provider)->models({});
    return models ? Verdict() : judge(models.error());
  });
}

}  // namespace quarry::conformance
