#include "ask/bill.h"

#include "ask/model_failure.h"
#include "base/json_writer.h"

#include <algorithm>

namespace quarry::ask {

void Bill::add(const Candidate& candidate, const plugins::Usage& usage, bool failed,
               std::optional<plugins::Usage> counted) {
  CallRecord call{.provider = candidate.provider,
                  .model = candidate.name,
                  .usage = usage,
                  .cost = {},
                  .charged = {},
                  .source = {},
                  .catalogue_date = {},
                  .failed = failed};
  add_usage(usage_, usage);
  charged_tokens_ = saturating_sum(charged_tokens_, total_tokens(counted.value_or(usage)));
  Line* const line = total_tokens(usage) > 0 ? &line_of(candidate) : nullptr;
  if (line) line->last = usage;
  if (candidate.rates) {
    add_cost(call.cost, *candidate.rates, usage);
    add_cost(cost_, *candidate.rates, usage);
    if (line) add_cost(line->cost, *candidate.rates, usage);
    call.charged = charge_of(*candidate.rates, counted.value_or(usage));
    charged_ = charged_ + call.charged;
    call.source = candidate.rates->source;
    call.catalogue_date = candidate.rates->date;
  } else if (!candidate.local && total_tokens(usage) > 0) {
    call.cost.unpriced = {"input", "output"};
  }
  calls_.push_back(std::move(call));
}

Bill::Line& Bill::line_of(const Candidate& candidate) {
  const auto found = std::ranges::find(lines_, &candidate, &Line::candidate);
  return found != lines_.end() ? *found : lines_.emplace_back(&candidate);
}

plugins::Usage Bill::last_usage(const Candidate& candidate) const {
  const auto found = std::ranges::find(lines_, &candidate, &Line::candidate);
  return found != lines_.end() ? found->last : plugins::Usage();
}

std::string Bill::pricing(const Candidate& answering) const {
  const Candidate* shown = answering.rates ? &answering : nullptr;
  const std::string each = json_array([&](JsonWriter& json) {
    for (const auto& [candidate, cost, last] : lines_) {
      json.object([&] {
        json.member("modelKey", model_key(candidate->provider, candidate->name));
        if (candidate->rates) json.raw("costUsd", cost_json(cost));
      });
      if (!answering.rates && candidate->rates) shown = candidate;
    }
  });
  if (lines_.empty() || !shown) return {};
  return pricing_json(*shown->rates, cost_, model_key(shown->provider, shown->name),
                      lines_.size() > 1 ? each : "");
}

}  // namespace quarry::ask
