#pragma once

#include "model-extractive/lines.h"
#include "model-extractive/match.h"

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::extractive {

/// Lines of a file, of which a search found some.
struct Passage {
  std::string path;     ///< "name/path"
  std::string heading;  ///< as the search names the section or the definition
  std::vector<NumberedLine> lines;
  std::uint32_t first = 0;  ///< line of the found part
  std::uint32_t last = 0;
};

/// The lines of a passage to quote.
struct Excerpt {
  std::vector<NumberedLine> lines;
  Match match;      ///< of these lines
  Match heading;    ///< of the heading
  double lead = 0;  ///< share of the question in the title, or in the first sentence
  double near = 0;  ///< most of the question in one sentence, of three lines at most
};

/// The lines around those that answer: a short section or definition whole, with its title or its
/// comment, and of a longer one the paragraphs with most of the question's words close to each
/// other. No imports, licences and tables of contents, and no line that the tool has cut. Empty if
/// nothing is left.
[[nodiscard]] Excerpt best_excerpt(const Passage& passage, const Question& question);

/// The name that `line` defines: a function, a class, a type. Empty if it defines none.
[[nodiscard]] std::string defined_name(std::string_view line);

}  // namespace quarry::extractive
