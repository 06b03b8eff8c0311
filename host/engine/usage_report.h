#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "history/ledger.h"

#include <optional>

namespace quarry::engine {

/// The params of usage.report, checked.
struct UsageRequest {
  std::optional<Clock::Wall> since;  ///< nothing = from the beginning
  history::By by = history::By::kModel;
};

/// RequestError naming the field. `now` is what an age counts back from.
Result<UsageRequest> read_usage(std::string_view params, Clock::Wall now);

/// The value of usage.report: one line of JSON, money exact.
std::string usage_report(const UsageRequest& request, const history::Usage& usage);

}  // namespace quarry::engine
