#include "services/otlp_span.h"

#include "base/hash.h"
#include "base/json_writer.h"

#include <array>
#include <charconv>

namespace quarry::services {
namespace {

constexpr int kStatusError = 2;
// Bits of SpanFlags beyond the trace flags.
constexpr unsigned kHasIsRemote = 0x100;
constexpr unsigned kIsRemote = 0x200;

template <std::size_t size>
std::string hex(const std::array<std::uint8_t, size>& id) {
  return to_hex({reinterpret_cast<const char*>(id.data()), id.size()});
}

/// In JSON, 64-bit integers of protobuf are texts.
std::string unix_nanoseconds(std::chrono::system_clock::time_point at) {
  using std::chrono::nanoseconds;
  return std::to_string(std::chrono::duration_cast<nanoseconds>(at.time_since_epoch()).count());
}

unsigned flags_of(const Span& span) {
  return (span.context.sampled ? 1u : 0u) | kHasIsRemote | (span.parent_is_remote ? kIsRemote : 0u);
}

std::string decimal(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

template <class Fill>
void SpanAttributes::append(std::string_view name, Fill&& fill) {
  if (!items_.empty()) items_ += ',';
  items_ += json_object(
      [&](JsonWriter& json) { json.member("key", name).object("value", [&] { fill(json); }); });
}

void SpanAttributes::add(std::string_view name, std::string_view value) {
  append(name, [&](JsonWriter& json) { json.member("stringValue", value); });
}

void SpanAttributes::add(std::string_view name, std::int64_t value) {
  append(name, [&](JsonWriter& json) { json.member("intValue", std::to_string(value)); });
}

void SpanAttributes::add(std::string_view name, double value) {
  append(name, [&](JsonWriter& json) { json.raw("doubleValue", decimal(value)); });
}

void SpanAttributes::add(std::string_view name, std::span<const std::string_view> values) {
  append(name, [&](JsonWriter& json) {
    json.object("arrayValue", [&] {
      json.array("values", [&] {
        for (const std::string_view value : values) {
          json.object([&] { json.member("stringValue", value); });
        }
      });
    });
  });
}

std::string to_otlp(const Span& span) {
  return json_object([&](JsonWriter& json) {
    json.member("traceId", hex(span.context.trace)).member("spanId", hex(span.context.span));
    if (span.parent) json.member("parentSpanId", hex(span.parent->span));
    json.member("flags", flags_of(span)).member("name", span.name);
    json.member("kind", static_cast<int>(span.kind));
    json.member("startTimeUnixNano", unix_nanoseconds(span.begin));
    json.member("endTimeUnixNano", unix_nanoseconds(span.end));
    json.raw("attributes", '[' + span.attributes.items() + ']');
    if (span.failed) json.object("status", [&] { json.member("code", kStatusError); });
  });
}

OtlpFrame otlp_frame(const SpanAttributes& resource, std::string_view version) {
  std::string scope = json_object(
      [&](JsonWriter& json) { json.member("name", "quarry").member("version", version); });
  return {R"({"resourceSpans":[{"resource":{"attributes":[)" + resource.items() +
              R"(]},"scopeSpans":[{"scope":)" + scope + R"(,"spans":[)",
          "]}]}]}"};
}

}  // namespace quarry::services
