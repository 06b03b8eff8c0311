#include "services/trace_context.h"

#include "base/hash.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

namespace quarry::services {
namespace {

// 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kSpanAt = 36;
constexpr std::size_t kFlagsAt = 53;
constexpr std::size_t kLength = 55;
constexpr std::uint8_t kSampledFlag = 1;

/// Lower case alone is allowed.
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// Reads two digits a byte; false if one is no digit.
bool read_hex(std::string_view digits, std::span<std::uint8_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = hex_value(digits[2 * i]);
    const int low = hex_value(digits[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

bool is_zero(std::span<const std::uint8_t> id) {
  return std::ranges::all_of(id, [](std::uint8_t byte) { return byte == 0; });
}

void fill_randomly(std::span<std::uint8_t> id) {
  thread_local std::mt19937_64 random{[] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }()};
  do {
    for (std::size_t i = 0; i < id.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t bits = random();
      for (std::size_t j = i; j < i + sizeof bits; ++j, bits >>= 8) {
        id[j] = static_cast<std::uint8_t>(bits);
      }
    }
  } while (is_zero(id));
}

std::string_view bytes_of(std::span<const std::uint8_t> id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view text) {
  if (text.size() < kLength) return std::nullopt;
  std::array<std::uint8_t, 1> version{};
  std::array<std::uint8_t, 1> flags{};
  TraceContext out;
  const bool is_hex = read_hex(text, version) && read_hex(text.substr(kTraceAt), out.trace) &&
                      read_hex(text.substr(kSpanAt), out.span) &&
                      read_hex(text.substr(kFlagsAt), flags);
  const bool has_dashes =
      text[kTraceAt - 1] == '-' && text[kSpanAt - 1] == '-' && text[kFlagsAt - 1] == '-';
  if (!is_hex || !has_dashes || version[0] == 0xff) return std::nullopt;
  if (text.size() > kLength && (version[0] == 0 || text[kLength] != '-')) return std::nullopt;
  if (is_zero(out.trace) || is_zero(out.span)) return std::nullopt;
  out.sampled = (flags[0] & kSampledFlag) != 0;
  return out;
}

std::string to_traceparent(const TraceContext& context) {
  return "00-" + to_hex(bytes_of(context.trace)) + '-' + to_hex(bytes_of(context.span)) +
         (context.sampled ? "-01" : "-00");
}

std::string trace_id(const TraceContext& context) {
  return is_zero(context.trace) ? std::string() : to_hex(bytes_of(context.trace));
}

std::string span_id(const TraceContext& context) {
  return is_zero(context.span) ? std::string() : to_hex(bytes_of(context.span));
}

TraceContext new_trace(bool sampled) {
  TraceContext out;
  fill_randomly(out.trace);
  fill_randomly(out.span);
  out.sampled = sampled;
  return out;
}

TraceContext new_span(const TraceContext& parent) {
  TraceContext out = parent;
  fill_randomly(out.span);
  return out;
}

bool is_in_ratio(const TraceContext& context, double ratio) {
  constexpr double kValues = 0x1p56;
  std::uint64_t randomness = 0;
  for (std::size_t i = context.trace.size() - 7; i < context.trace.size(); ++i) {
    randomness = randomness << 8 | context.trace[i];
  }
  // The threshold of rejection, so that a larger ratio keeps all of a smaller one.
  return randomness >= static_cast<std::uint64_t>(std::round((1 - ratio) * kValues));
}

}  // namespace quarry::services
