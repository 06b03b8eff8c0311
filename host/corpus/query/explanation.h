#pragma once

#include <string>
#include <vector>

namespace quarry::corpus {

/// One of the amounts whose sum a score is, before its factors.
struct ScorePart {
  std::string evidence;  ///< as in docs/search.md: "words", "file", "definition", …
  std::string term;      ///< the stem or name that was found; empty for siblings
  double value;
};

struct ScoreFactor {
  std::string rule;  ///< "demotion: test", "source_for_documents", "repeat", …
  double value;
};

/// The way a score came about: the sum of the parts, greatest first, times the factors.
struct Explanation {
  std::vector<ScorePart> parts;
  std::vector<ScoreFactor> factors;  ///< those that are not 1
};

}  // namespace quarry::corpus
