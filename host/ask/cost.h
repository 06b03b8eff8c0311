#pragma once

#include "plugins/model_provider.h"
#include "plugins/pricing_catalogue.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// Cost of a question by part. Parts without a known rate are listed, not estimated.
struct Cost {
  Money input;  ///< neither read from a cache nor written to one
  Money output;
  std::optional<Money> reasoning;  ///< only if it has its own rate
  std::optional<Money> cache_read;
  std::optional<Money> cache_write;
  std::vector<std::string> unpriced;  ///< names of parts without a known rate

  [[nodiscard]] Money total() const;
};

/// Adds the cost of one model call. A tier applies to the whole call, by its total input. Each part
/// of each call is rounded half up to a nano-dollar; the parts of a question are sums of these, and
/// the total is the sum of the parts, so an invoice adds up to the last digit.
void add_cost(Cost& cost, const plugins::ModelRates& rates, const plugins::Usage& usage);

/// Amount of one model call that counts against a limit in money: its cost, where parts without a
/// rate get one that is not too low: cache reads the rate of input, cache writes twice that, the
/// most that vendors bill. Without a rate for input or output, that part counts as zero.
[[nodiscard]] Money charge_of(const plugins::ModelRates& rates, const plugins::Usage& usage);

/// Adds the reported counts; a count stays -1 until it is reported.
void add_usage(plugins::Usage& sum, const plugins::Usage& step);

/// Input plus output; a count that was not reported is zero.
[[nodiscard]] std::int64_t total_tokens(const plugins::Usage& usage);

/// done.usage with the reported counts only; empty when there are none.
[[nodiscard]] std::string usage_json(const plugins::Usage& usage);

/// costUsd of metrics.pricing.
[[nodiscard]] std::string cost_json(const Cost& cost);

/// metrics.pricing; empty when the catalogue has a rate for neither input nor output. `calls` is a
/// JSON array with the cost of each model, left out when empty.
[[nodiscard]] std::string pricing_json(const plugins::ModelRates& rates, const Cost& cost,
                                       std::string_view model_key, std::string_view calls);

}  // namespace quarry::ask
