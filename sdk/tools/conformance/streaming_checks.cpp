// Group streaming: the steps of model providers, with responses of many kinds cut anywhere.

#include "base/utf8.h"
#include "conformance/checks.h"
#include "conformance/steps.h"
#include "plugins/compose.h"

#include <algorithm>
#include <random>

namespace quarry::conformance {
namespace {

using plugins::compose;

constexpr int kCuttings = 12;
/// Deltas that a provider may still emit after the sink wanted no more.
constexpr int kLateDeltas = 16;

std::vector<std::size_t> every_byte(std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t at = 1; at < size; ++at) cuts.push_back(at);
  return cuts;
}

std::vector<std::size_t> some_bytes(std::size_t size, std::mt19937_64& random) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; size > 1 && i < 1 + random() % 6; ++i) {
    cuts.push_back(1 + random() % (size - 1));
  }
  std::ranges::sort(cuts);
  return cuts;
}

using StepCheck = std::function<Verdict(const StepRecord&, std::string_view response)>;

/// Runs `check` on a step of each response, or for each chat request of the generate form.
Verdict for_each_step(Trial& trial, const StepCheck& check) {
  return for_each_recorded(trial, [&](const Made& made, RecordedModel& model) {
    if (!model.is_exchange()) {
      for (const auto& chat_request : chat_requests()) {
        const auto step = generate_step(trial, made, model, chat_request);
        if (Verdict verdict = check(step, "generate"); verdict.outcome != Outcome::kPass) {
          return verdict;
        }
      }
      return Verdict();
    }
    for (const auto& response : canned_responses(trial.options().seed)) {
      const auto step = exchange_step(trial, made, model, response);
      if (!step) return judge(step.error());
      if (Verdict verdict = check(*step, response.name); verdict.outcome != Outcome::kPass) {
        return verdict;
      }
    }
    return Verdict();
  });
}

using ModelCheck = std::function<Verdict(const Made&, RecordedModel&)>;

Verdict for_each_exchange_model(Trial& trial, const ModelCheck& check) {
  return for_each_recorded(trial, [&](const Made& made, RecordedModel& model) {
    return model.is_exchange() ? check(made, model) : skips("it has the generate form");
  });
}

}  // namespace

Verdict cuts_do_not_matter(Trial& trial) {
  return for_each_exchange_model(trial, [&](const Made& made, RecordedModel& model) {
    std::mt19937_64 random(trial.options().seed);
    for (const auto& response : canned_responses(trial.options().seed)) {
      const auto whole = exchange_step(trial, made, model, response);
      if (!whole) return judge(whole.error());
      for (int i = 0; i < kCuttings; ++i) {
        const auto cuts =
            i == 0 ? every_byte(response.body.size()) : some_bytes(response.body.size(), random);
        const auto step = exchange_step(trial, made, model, response, cuts);
        if (!step) return judge(step.error());
        if (step->summary() == whole->summary()) continue;
        return fails(compose("{} in {} pieces became {}, in one piece {}", response.name,
                             cuts.size() + 1, step->summary(), whole->summary()),
                     "keep the bytes of an incomplete event until the next call of data");
      }
    }
    return Verdict();
  });
}

Verdict step_ends_once(Trial& trial) {
  return for_each_step(trial, [](const StepRecord& step, std::string_view response) {
    return step.ends < 2 ? Verdict()
                         : fails(compose("it ended the step {} times, for {}", step.ends, response),
                                 "call nothing of the sink after its finish or error");
  });
}

Verdict text_is_utf8(Trial& trial) {
  return for_each_step(trial, [](const StepRecord& step, std::string_view response) {
    if (is_utf8(step.text) && is_utf8(step.reasoning)) return Verdict();
    return fails(compose("its text is not UTF-8, for {}", response),
                 "pass UTF-8 to the sink; a character may be cut between two deltas");
  });
}

Verdict broken_response_ends_step(Trial& trial) {
  return for_each_exchange_model(trial, [&](const Made& made, RecordedModel& model) {
    const CannedResponse nothing{"a connection that broke before the first byte", 200,
                                 "text/event-stream", ""};
    const auto step = exchange_step(trial, made, model, nothing, {}, false);
    if (!step) return judge(step.error());
    if (step->failed) return Verdict();
    return fails(compose("{} became {}", nothing.name, step->last.empty() ? "no end" : step->last),
                 "call error of the sink in end when the reason is QUARRY_END_CUT");
  });
}

Verdict refusal_becomes_error(Trial& trial) {
  return for_each_exchange_model(trial, [&](const Made& made, RecordedModel& model) {
    constexpr int kStatus = 401;
    const CannedResponse refusal{"a response of status 401", kStatus, "application/json",
                                 R"({"error":{"message":"Wrong key","type":"authentication"}})"};
    const auto step = exchange_step(trial, made, model, refusal);
    if (!step) return judge(step.error());
    if (step->failed && step->http_status == kStatus) return Verdict();
    return fails(compose("{} became {}, with status {}", refusal.name,
                         step->last.empty() ? "no end" : step->last, step->http_status),
                 "call error of the sink with the http_status that head received");
  });
}

Verdict sink_on_calling_thread(Trial& trial) {
  return for_each_step(trial, [](const StepRecord& step, std::string_view) {
    if (!step.other_thread) return Verdict();
    return fails("it called the sink on another thread than that of the function it was given to",
                 "pass results back to the calling thread, and call the sink there");
  });
}

Verdict sink_refusal_heeded(Trial& trial) {
  return for_each_recorded(trial, [&](const Made& made, RecordedModel& model) {
    if (model.is_exchange()) return skips("it has the exchange form");
    model.refuse_after(1);
    const auto step = generate_step(trial, made, model, chat_requests().front());
    if (step.after_refusal <= kLateDeltas) return Verdict();
    return fails(compose("it emitted {} deltas after the sink wanted no more", step.after_refusal),
                 "return from generate when a function of the sink returns QUARRY_CANCELLED");
  });
}

}  // namespace quarry::conformance
