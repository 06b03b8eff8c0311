#pragma once

#include "base/json.h"

#include <string>

namespace quarry::cli {

/// The member "explain" of a hit of tools.search as lines for the terminal: the sum of each kind
/// of evidence and the factors, then the terms of each kind.
[[nodiscard]] std::string explanation_text(const Json& explain);

/// The member "question" of an explained result of tools.search as a line: the form of the
/// question, what it asks for, and how many of its words count.
[[nodiscard]] std::string question_form_text(const Json& question);

}  // namespace quarry::cli
