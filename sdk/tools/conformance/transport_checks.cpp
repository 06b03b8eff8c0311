// Groups calls and transport: the functions of transports.

#include "conformance/checks.h"
#include "plugins/compose.h"

#include <quarry/process_state.hpp>
#include <quarry/transport.h>

namespace quarry::conformance {
namespace {

using plugins::compose;
using plugins::Transport;

Verdict for_each_transport(Trial& trial,
                           const std::function<Verdict(const Made&, Transport&)>& check) {
  return for_each(trial, QUARRY_TRANSPORT, [&](Generation&, const Made& made) {
    // The adapter stops on destruction, which is another check.
    auto& transport = *new std::shared_ptr(*plugins::adapt_transport(made.instance));
    return check(made, *transport);
  });
}

Verdict started(Trial& trial, const Made& made, Transport& transport) {
  trial.at(made, "start");
  const auto listening = transport.start(&engine_without_methods());
  return listening ? Verdict() : judge(listening.error());
}

void stop(Trial& trial, const Made& made, Transport& transport) {
  trial.at(made, "stop");
  static_cast<void>(transport.stop(trial.options().limit / 20));
}

}  // namespace

Verdict start_replies(Trial& trial) {
  return for_each_transport(trial, [&](const Made& made, Transport& transport) {
    return started(trial, made, transport);
  });
}

Verdict stop_returns(Trial& trial) {
  return for_each_transport(trial, [&](const Made& made, Transport& transport) {
    Verdict verdict = started(trial, made, transport);
    if (verdict.outcome == Outcome::kPass) stop(trial, made, transport);
    return verdict;
  });
}

Verdict stop_releases(Trial& trial) {
  return for_each_transport(trial, [&](const Made& made, Transport& transport) {
    // What the first start sets up for good may stay.
    Verdict verdict = started(trial, made, transport);
    if (verdict.outcome != Outcome::kPass) return verdict;
    stop(trial, made, transport);
    const auto descriptors = observe(ProcessAspect::kDescriptors);
    const auto threads = observe(ProcessAspect::kThreads);
    verdict = started(trial, made, transport);
    if (verdict.outcome != Outcome::kPass) {
      return fails("it was started and stopped once, and not again: " + verdict.message,
                   "release in stop what start took");
    }
    stop(trial, made, transport);
    auto left = changes(ProcessAspect::kDescriptors, descriptors);
    for (auto& line : changes(ProcessAspect::kThreads, threads)) left.push_back(std::move(line));
    return left.empty() ? Verdict()
                        : fails(compose("after stop there is still: {}", left.front()),
                                "join the loops and close the sockets before stop returns");
  });
}

}  // namespace quarry::conformance
