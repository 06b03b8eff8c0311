#pragma once

#include "services/trace_context.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Spans in the JSON form of OTLP 1 (opentelemetry-proto: trace.proto, common.proto).

namespace quarry::services {

/// The values are those of OTLP.
enum class SpanKind : int { kInternal = 1, kServer = 2, kClient = 3 };

/// Attributes as items of a JSON array of KeyValue.
class SpanAttributes {
 public:
  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, std::int64_t value);
  void add(std::string_view name, double value);
  void add(std::string_view name, std::span<const std::string_view> values);
  [[nodiscard]] const std::string& items() const { return items_; }

 private:
  template <class Fill>
  void append(std::string_view name, Fill&& fill);
  std::string items_;
};

/// A span.
struct Span {
  TraceContext context;
  std::optional<TraceContext> parent = {};
  bool parent_is_remote = false;
  std::string name;
  SpanKind kind = SpanKind::kInternal;
  std::chrono::system_clock::time_point begin;
  std::chrono::system_clock::time_point end = {};
  SpanAttributes attributes = {};
  bool failed = false;
};

/// A Span of OTLP as one line of JSON.
[[nodiscard]] std::string to_otlp(const Span& span);

/// The beginning and the end of an ExportTraceServiceRequest; between them are spans, separated by
/// commas. `resource`: attributes of the host.
struct OtlpFrame {
  std::string begin;
  std::string_view end;
};
[[nodiscard]] OtlpFrame otlp_frame(const SpanAttributes& resource, std::string_view version);

}  // namespace quarry::services
