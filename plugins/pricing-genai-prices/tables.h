#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace quarry::pricing_genai_prices {

/// The data of genai-prices as make_tables.py writes it: rows that refer to each other by index, so
/// that they require neither parsing nor relocation and are shared read-only between processes.

/// A rule about a name in lower case. Its alternatives or conditions follow it; `end` is the rule
/// after the last of them.
struct Rule {
  enum Kind : std::uint8_t {
    k_or,
    k_and,
    k_equals,
    k_starts_with,
    k_ends_with,
    k_contains,
    k_regex
  };
  Kind kind;
  std::uint32_t text;  ///< offset of its text
  std::uint16_t size;
  std::uint32_t end;
};

/// Nano-dollars per 1,000,000 tokens in the order input, output, reasoning, cache read, cache
/// write; -1 = unknown.
using RateRow = std::int64_t[5];

struct TierRow {
  std::int64_t above;
  RateRow rates;
};

enum class When : std::uint8_t {
  kAlways,
  kFromDay,  ///< from the day 20260131 on
  kDaily,    ///< between two seconds of each day, possibly over midnight
};

struct PriceRow {
  When when;
  std::uint32_t from;
  std::uint32_t until;
  RateRow rates;
  std::uint32_t first_tier;
  std::uint16_t tier_count;
};

struct ModelRow {
  std::uint32_t rule;
  std::uint32_t first_price;  ///< the last valid one applies
  std::uint16_t price_count;
};

struct ProviderRow {
  std::uint32_t text;  ///< its id
  std::uint16_t size;
  std::int32_t rule;  ///< for its other names; -1 = none
  std::uint32_t first_model;
  std::uint32_t model_count;
  std::uint32_t first_fallback;  ///< providers whose models it also offers
  std::uint16_t fallback_count;
};

struct Tables {
  std::string_view date;  ///< of the data; empty when there is none
  std::string_view text;
  std::span<const Rule> rules;
  std::span<const TierRow> tiers;
  std::span<const PriceRow> prices;
  std::span<const ModelRow> models;
  std::span<const std::uint16_t> fallbacks;
  std::span<const ProviderRow> providers;
};

/// The data of this build.
const Tables& built_in_tables();

}  // namespace quarry::pricing_genai_prices
