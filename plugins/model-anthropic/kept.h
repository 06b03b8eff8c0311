#pragma once

#include "model_http/json_text.h"

#include <cstddef>
#include <limits>

namespace quarry::anthropic {

/// A thinking block as an assistant message keeps it:
///   {"anthropic": <the block as received>, "text": 12, "calls": 1}
/// The block came after that many bytes of the message's text and that many of its calls. A message
/// may have several, and its blocks must be sent back unchanged and in order.
struct Kept {
  nlohmann::json block;
  std::size_t text = 0;
  std::size_t calls = 0;

  [[nodiscard]] nlohmann::json json() const {
    return {{"anthropic", block}, {"text", text}, {"calls", calls}};
  }
  /// The block is null when `value` was kept by another provider.
  static Kept read(const nlohmann::json& value) {
    const auto place = [&](std::string_view key) {
      return static_cast<std::size_t>(model_http::count_member(value, key, 0));
    };
    return {model_http::member(value, "anthropic"), place("text"), place("calls")};
  }
};

}  // namespace quarry::anthropic
