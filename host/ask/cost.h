#pragma once

#include "plugins/model_provider.h"
#include "plugins/pricing_catalogue.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// What a question cost, part by part. Parts whose rate nobody knows are named, not guessed.
struct Cost {
  Money input;  ///< what no cache took or gave
  Money output;
  std::optional<Money> reasoning;  ///< only where it has a rate of its own
  std::optional<Money> cache_read;
  std::optional<Money> cache_write;
  std::vector<std::string> unpriced;

  [[nodiscard]] Money total() const;
};

/// Adds what one model call cost. A tier holds for the whole call, by its total input. Each part of
/// each call is rounded half up to a nano-dollar; the parts of a question are sums of those, and
/// its total is the sum of its parts, so an invoice adds up to the last digit.
void add_cost(Cost& cost, const plugins::ModelRates& rates, const plugins::Usage& usage);

/// What one model call counts for against a limit in money: its cost, and what it lacks a rate for
/// by one that is not too low: cached input that was read as other input, cached input that was
/// written as twice that, the most that vendors bill. Without a rate for input or output, that part
/// counts nothing.
[[nodiscard]] Money charge_of(const plugins::ModelRates& rates, const plugins::Usage& usage);

/// Adds the counts that were given; -1 stays until somebody gives one.
void add_usage(plugins::Usage& sum, const plugins::Usage& step);

/// Input and output together; what was not given counts as nothing.
[[nodiscard]] std::int64_t total_tokens(const plugins::Usage& usage);

/// done.usage, only the counts that were given; empty when there is none.
[[nodiscard]] std::string usage_json(const plugins::Usage& usage);

/// costUsd of metrics.pricing.
[[nodiscard]] std::string cost_json(const Cost& cost);

/// metrics.pricing; empty when the catalogue knows neither input nor output. `calls` is a JSON
/// array of what each model cost, left out when empty.
[[nodiscard]] std::string pricing_json(const plugins::ModelRates& rates, const Cost& cost,
                                       std::string_view model_key, std::string_view calls);

}  // namespace quarry::ask
