#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::services {

/// Identity of a span, as W3C Trace Context passes it on. Ids of zeros mean that there is none.
struct TraceContext {
  std::array<std::uint8_t, 16> trace{};
  std::array<std::uint8_t, 8> span{};
  bool sampled = false;  ///< the span is recorded
  friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

/// The value of a header `traceparent`; nothing if it is not valid, and is then to be ignored. Of a
/// version after 00 the fields of 00 are read. [any]
[[nodiscard]] std::optional<TraceContext> parse_traceparent(std::string_view text);

/// The value of a header `traceparent`, in version 00. [any]
[[nodiscard]] std::string to_traceparent(const TraceContext& context);

/// The ids as lower-case hexadecimal digits; empty for zeros. [any]
[[nodiscard]] std::string trace_id(const TraceContext& context);
[[nodiscard]] std::string span_id(const TraceContext& context);

/// A context with new random ids. [any]
[[nodiscard]] TraceContext new_trace(bool sampled);
/// A context in the trace of `parent` with a new random span id. [any]
[[nodiscard]] TraceContext new_span(const TraceContext& parent);

/// True for this share of all trace ids, from 0 to 1. Hosts with the same ratio decide alike: the
/// last 7 bytes of an id are its randomness (W3C Trace Context, level 2). [any]
[[nodiscard]] bool is_in_ratio(const TraceContext& context, double ratio);

}  // namespace quarry::services
