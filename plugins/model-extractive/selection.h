#pragma once

#include "model-extractive/excerpt.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::extractive {

/// What a question asks for, by its first words.
enum class Wanted {
  kAny,
  kExplanation,  ///< "How do I …", "How does …": documents explain
  kDefinition,   ///< "What is …", "Where is …": the definition tells
};

[[nodiscard]] Wanted wanted_by(std::string_view question);

/// True for Markdown, reStructuredText, HTML, manual pages and a README.
[[nodiscard]] bool is_document(std::string_view path);

/// True if `path` is of the kind that is quoted first.
[[nodiscard]] bool comes_first(Wanted wanted, std::string_view path);

/// Share in [0, 1] of `words` that occur in `lines`, in any form of theirs ("charged", "charging").
[[nodiscard]] double coverage(const std::vector<NumberedLine>& lines,
                              const std::vector<std::string>& words);

/// The words of `lines` without white space around them, to compare quotations.
[[nodiscard]] std::string plain_text(const std::vector<NumberedLine>& lines);

}  // namespace quarry::extractive
