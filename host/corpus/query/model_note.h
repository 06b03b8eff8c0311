#pragma once

#include "base/utf8.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// A model's error message as the end of a sentence: its beginning, without a full stop.
[[nodiscard]] inline std::string reason_of(std::string_view message) {
  constexpr std::size_t kMostBytes = 200;
  std::string text(utf8_prefix(message, kMostBytes));
  while (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace quarry::corpus
