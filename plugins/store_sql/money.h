#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::store_sql {

// Money is counted in whole nano-dollars (1e-9 USD).
inline constexpr std::int64_t kNanos = 1'000'000'000;
/// The largest amount in requests and results: a million dollars.
inline constexpr std::int64_t kMostNanos = 1'000'000 * kNanos;

/// Parses a plain decimal such as "0.25", with up to 9 decimals, from 0 to kMostNanos.
std::optional<std::int64_t> nanos_of(std::string_view decimal);

/// The shortest decimal of min(nanos, kMostNanos). `nanos` must not be negative.
std::string decimal_of(std::int64_t nanos);

}  // namespace quarry::store_sql
