// Group cancellation, and what holds for calls of every kind.

#include "conformance/checks.h"
#include "conformance/steps.h"
#include "plugins/compose.h"

#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <atomic>
#include <thread>

namespace quarry::conformance {
namespace {

using plugins::compose;
using Steady = std::chrono::steady_clock;

/// A call that is over after `looks` checks of its state.
services::Call ending_call(int looks) {
  return {.state = [left = std::make_shared<std::atomic<int>>(looks)] {
    return (*left)-- > 0 ? Code::kOk : Code::kCancelled;
  }};
}

/// The [worker] functions of a component, one after another, each with a call of its own.
void call_workers(Trial& trial, const Made& made, int looks) {
  const std::string_view kind = made.component->kind;
  const auto when = looks == 0 ? "a call that is over" : "a call that ends while it runs";
  if (kind == QUARRY_RESOURCE) {
    const auto type = plugins::adapt_resource(made.instance);
    const auto example = type ? trial.example(made, **type) : std::nullopt;
    if (!example) return;
    const auto canonical = (*type)->normalise({}, example->resource);
    if (!canonical) return;
    trial.at(made, "resolve", when);
    static_cast<void>((*type)->resolve(ending_call(looks), *canonical, {}));
    const auto version = (*type)->resolve({}, *canonical, {});
    if (!version) return;
    FetchedFiles tree({.scratch = trial.directory() / "scratch"});
    trial.at(made, "fetch", when);
    static_cast<void>((*type)->fetch(ending_call(looks), *canonical, *version, {}, tree));
  } else if (kind == QUARRY_MODEL) {
    const auto provider = plugins::adapt_model(made.instance);
    if (!provider) return;
    trial.at(made, "models", when);
    static_cast<void>((*provider)->models(ending_call(looks)));
    if ((*provider)->form() != plugins::ModelProvider::Form::kGenerate) return;
    IgnoringSink sink;
    trial.at(made, "generate", when);
    (*provider)->generate(ending_call(looks), chat_requests().front(), sink);
  } else if (kind == QUARRY_PRICING) {
    const auto catalogue = plugins::adapt_pricing(made.instance);
    trial.at(made, "refresh", when);
    static_cast<void>((*catalogue)->refresh(ending_call(looks)));
  }
}

/// The shortest of three runs, so that a busy machine is not mistaken for a slow function.
template <class Function>
Steady::duration shortest(const Function& function) {
  auto best = Steady::duration::max();
  for (int i = 0; i < 3; ++i) {
    const auto started = Steady::now();
    function();
    best = std::min(best, Steady::now() - started);
  }
  return best;
}

class Stopwatch {
 public:
  Stopwatch(Trial& trial, const Made& made) : trial_(trial), made_(made) {}

  template <class Function>
  void time(std::string_view name, const Function& function) {
    trial_.at(made_, name);
    const auto taken = shortest(function);
    if (taken <= trial_.prompt() || verdict_.outcome != Outcome::kPass) return;
    verdict_ = fails(compose("{} took {} ms, and must not block", name,
                             std::chrono::duration_cast<std::chrono::milliseconds>(taken).count()),
                     "do slow work in a function that may block, and keep its result");
  }
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }

 private:
  Trial& trial_;
  const Made& made_;
  Verdict verdict_;
};

Verdict time_resource(Trial& trial, const Made& made) {
  Stopwatch watch(trial, made);
  watch.time("describe", [&] { static_cast<void>(plugins::adapt_resource(made.instance)); });
  const auto type = plugins::adapt_resource(made.instance);
  if (!type) return watch.verdict();
  watch.time("parse_reference",
             [&] { static_cast<void>((*type)->parse_reference({}, "https://example.org/a")); });
  return watch.verdict();
}

Verdict time_model(Trial& trial, const Made& made) {
  Stopwatch watch(trial, made);
  watch.time("describe", [&] { static_cast<void>(plugins::adapt_model(made.instance)); });
  const auto provider = plugins::adapt_model(made.instance);
  if (!provider || (*provider)->form() != plugins::ModelProvider::Form::kExchange) {
    return watch.verdict();
  }
  watch.time("an exchange", [&] {
    IgnoringSink sink;
    const auto exchange = (*provider)->begin(chat_requests().front());
    if (!exchange || !(*exchange)->request()) return;
    respond(trial, made, **exchange, canned_responses(1).front(), {}, sink);
  });
  return watch.verdict();
}

Verdict time_pricing(Trial& trial, const Made& made) {
  Stopwatch watch(trial, made);
  const auto catalogue = plugins::adapt_pricing(made.instance);
  watch.time("rates", [&] { static_cast<void>((*catalogue)->rates("openai", "gpt-4o")); });
  return watch.verdict();
}

constexpr int kThreads = 4;
constexpr int kRounds = 8;

/// Runs `call` on several threads at once; false if a result differs from the first.
bool same_at_once(const std::function<std::string()>& call) {
  const std::string expected = call();
  std::atomic<bool> same = true;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        if (call() != expected) same = false;
      }
    });
  }
  threads.clear();
  return same;
}

Verdict at_once(Trial& trial, const Made& made, std::string_view name,
                const std::function<std::string()>& call) {
  if ((made.component->flags & QUARRY_SERIAL) != 0) return skips("it is called one at a time");
  trial.at(made, name, "calls on several threads");
  return same_at_once(call) ? Verdict()
                            : fails(compose("{} replied differently on several threads", name),
                                    "guard the state of the instance, or set QUARRY_SERIAL");
}

}  // namespace

Verdict ended_calls_return(Trial& trial) {
  return for_each(trial, {}, [&](Generation&, const Made& made) {
    for (const int looks : {0, 2}) call_workers(trial, made, looks);
    return Verdict();
  });
}

Verdict prompt_functions_prompt(Trial& trial) {
  return for_each(trial, {}, [&](Generation&, const Made& made) {
    const std::string_view kind = made.component->kind;
    if (kind == QUARRY_RESOURCE) return time_resource(trial, made);
    if (kind == QUARRY_MODEL) return time_model(trial, made);
    if (kind == QUARRY_PRICING) return time_pricing(trial, made);
    return skips("it has no function that must not block");
  });
}

Verdict calls_at_once(Trial& trial) {
  return for_each(trial, {}, [&](Generation&, const Made& made) {
    const std::string_view kind = made.component->kind;
    if (kind == QUARRY_RESOURCE) {
      const auto type = plugins::adapt_resource(made.instance);
      const auto example = type ? trial.example(made, **type) : std::nullopt;
      if (!example) return skips("it has no resource to try");
      return at_once(trial, made, "normalise", [&] {
        const auto canonical = (*type)->normalise({}, example->resource);
        return canonical ? to_text(*canonical) : canonical.error().message;
      });
    }
    if (kind == QUARRY_PRICING) {
      const auto catalogue = plugins::adapt_pricing(made.instance);
      return at_once(trial, made, "rates", [&] {
        const auto rates = (*catalogue)->rates("openai", "gpt-4o");
        return rates ? std::string(*rates ? (*rates)->source : "null") : rates.error().message;
      });
    }
    return skips("its functions are not called at once here");
  });
}

}  // namespace quarry::conformance
