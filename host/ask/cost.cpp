#include "ask/cost.h"

#include "base/json_writer.h"

#include <algorithm>

namespace quarry::ask {
namespace {

using plugins::Rates;
using plugins::Usage;

Rates rates_for(const plugins::ModelRates& model, std::int64_t input) {
  Rates out = model.rates;
  for (const auto& tier : model.tiers) {
    if (input <= tier.above) break;
    const Rates& own = tier.rates;
    if (own.input) out.input = own.input;
    if (own.output) out.output = own.output;
    if (own.reasoning) out.reasoning = own.reasoning;
    if (own.cache_read) out.cache_read = own.cache_read;
    if (own.cache_write) out.cache_write = own.cache_write;
  }
  return out;
}

void note_unpriced(Cost& cost, std::string_view part) {
  if (std::ranges::find(cost.unpriced, part) == cost.unpriced.end()) {
    cost.unpriced.emplace_back(part);
  }
}

Money price(Cost& cost, std::string_view part, std::int64_t tokens, std::optional<Money> rate) {
  if (tokens <= 0) return {};
  if (!rate) note_unpriced(cost, part);
  return rate ? price_of(tokens, *rate) : Money{};
}

void price_into(std::optional<Money>& part, Cost& cost, std::string_view name, std::int64_t tokens,
                std::optional<Money> rate) {
  if (tokens <= 0) return;
  const Money amount = price(cost, name, tokens, rate);
  if (rate) part = part.value_or(Money{}) + amount;
}

void add_cost(Cost& cost, const Rates& rate, const Usage& usage) {
  const std::int64_t cached = saturating_sum(std::max<std::int64_t>(usage.cache_read, 0),
                                             std::max<std::int64_t>(usage.cache_write, 0));
  const std::int64_t apart = rate.reasoning ? std::max<std::int64_t>(usage.reasoning, 0) : 0;
  cost.input = cost.input + price(cost, "input", usage.input - cached, rate.input);
  cost.output = cost.output + price(cost, "output", usage.output - apart, rate.output);
  price_into(cost.reasoning, cost, "reasoning", apart, rate.reasoning);
  price_into(cost.cache_read, cost, "cacheRead", usage.cache_read, rate.cache_read);
  price_into(cost.cache_write, cost, "cacheWrite", usage.cache_write, rate.cache_write);
}

/// The known parts of a cost or of rates.
template <class Parts>
void add_parts(JsonWriter& json, const Parts& parts) {
  const auto add = [&](std::string_view name, const std::optional<Money>& amount) {
    if (amount) json.member(name, *amount);
  };
  add("input", parts.input);
  add("output", parts.output);
  add("reasoning", parts.reasoning);
  add("cacheRead", parts.cache_read);
  add("cacheWrite", parts.cache_write);
}

}  // namespace

Money Cost::total() const {
  return input + output + reasoning.value_or(Money{}) + cache_read.value_or(Money{}) +
         cache_write.value_or(Money{});
}

void add_cost(Cost& cost, const plugins::ModelRates& rates, const Usage& usage) {
  add_cost(cost, rates_for(rates, usage.input), usage);
}

Money charge_of(const plugins::ModelRates& rates, const Usage& usage) {
  Rates rate = rates_for(rates, usage.input);
  if (rate.input && !rate.cache_read) rate.cache_read = rate.input;
  if (rate.input && !rate.cache_write) rate.cache_write = *rate.input + *rate.input;
  Cost cost;
  add_cost(cost, rate, usage);
  return cost.total();
}

void add_usage(Usage& sum, const Usage& step) {
  const auto add = [](std::int64_t& total, std::int64_t count) {
    if (count >= 0) total = saturating_sum(std::max<std::int64_t>(total, 0), count);
  };
  add(sum.input, step.input);
  add(sum.output, step.output);
  add(sum.reasoning, step.reasoning);
  add(sum.cache_read, step.cache_read);
  add(sum.cache_write, step.cache_write);
}

std::int64_t total_tokens(const Usage& usage) {
  return saturating_sum(std::max<std::int64_t>(usage.input, 0),
                        std::max<std::int64_t>(usage.output, 0));
}

std::string usage_json(const Usage& usage) {
  const auto& [input, output, reasoning, cache_read, cache_write] = usage;
  if (std::max({input, output, reasoning, cache_read, cache_write}) < 0) return {};
  return json_object([&](JsonWriter& json) {
    const auto add = [&](std::string_view name, std::int64_t count) {
      if (count >= 0) json.member(name, count);
    };
    add("inputTokens", input);
    add("outputTokens", output);
    add("reasoningTokens", reasoning);
    add("cacheReadTokens", cache_read);
    add("cacheWriteTokens", cache_write);
    add("totalTokens", total_tokens(usage));
  });
}

std::string cost_json(const Cost& cost) {
  return json_object([&](JsonWriter& json) {
    add_parts(json, cost);
    json.member("total", cost.total());
  });
}

std::string pricing_json(const plugins::ModelRates& rates, const Cost& cost,
                         std::string_view model_key, std::string_view calls) {
  if (!rates.rates.input && !rates.rates.output) return {};
  return json_object([&](JsonWriter& json) {
    json.member("source", rates.source).member("modelKey", model_key);
    json.object("ratesUsdPerMTokens", [&] { add_parts(json, rates.rates); });
    json.raw("costUsd", cost_json(cost));
    if (!rates.date.empty()) json.member("catalogueDate", rates.date);
    if (!cost.unpriced.empty()) json.member("unpriced", cost.unpriced);
    if (!calls.empty()) json.raw("calls", calls);
  });
}

}  // namespace quarry::ask
