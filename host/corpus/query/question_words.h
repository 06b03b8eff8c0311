#pragma once

#include <span>
#include <string_view>

namespace quarry::corpus {

/// True for words without meaning for the search: "how", "does", "the".
[[nodiscard]] bool is_stop_word(std::string_view lower);

/// True for words common in all questions about code: "function", "implemented", "handle".
[[nodiscard]] bool is_frequent_word(std::string_view lower);

/// Stems with the same meaning as `stem` in programs (directory: folder, dir); may be empty.
[[nodiscard]] std::span<const std::string_view> relatives_of(std::string_view stem);

}  // namespace quarry::corpus
