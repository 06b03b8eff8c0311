#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "history/ledger.h"

#include <optional>

namespace quarry::engine {

/// The checked params of usage.report.
struct UsageRequest {
  std::optional<Clock::Wall> since;  ///< nothing = from the beginning
  history::By by = history::By::kModel;
};

/// RequestError with the field. An age counts back from `now`.
Result<UsageRequest> read_usage(std::string_view params, Clock::Wall now);

/// The result of usage.report: one line of JSON with exact amounts of money.
std::string usage_report(const UsageRequest& request, const history::Usage& usage);

}  // namespace quarry::engine
