#pragma once

#include <span>
#include <string_view>

namespace quarry::corpus {

/// Words that say nothing about what is looked for: "how", "does", "the".
[[nodiscard]] bool is_stop_word(std::string_view lower);

/// Words that questions about code have whatever they ask: "function", "implemented", "handle".
[[nodiscard]] bool is_frequent_word(std::string_view lower);

/// Stems that programs use for the same thing as `stem` (directory: folder, dir); may be empty.
[[nodiscard]] std::span<const std::string_view> relatives_of(std::string_view stem);

}  // namespace quarry::corpus
