#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "engine/params.h"
#include "history/ledger.h"

#include <optional>

namespace quarry::engine {

/// The checked params of usage.report.
struct UsageRequest {
  std::optional<Clock::Wall> since;  ///< nothing = from the beginning
  history::By by = history::By::kModel;
};

extern const ParamsRule kUsageParams;
/// RequestError with the field for a day that is none. An age counts back from `now`.
Result<UsageRequest> read_usage(const Json& params, Clock::Wall now);

/// The result of usage.report: one line of JSON with exact amounts of money.
std::string usage_report(const UsageRequest& request, const history::Usage& usage);

}  // namespace quarry::engine
