#pragma once

#include "model-extractive/conversation.h"
#include "model-extractive/excerpt.h"
#include "model-extractive/found.h"

#include <cstddef>
#include <string>
#include <vector>

namespace quarry::extractive {

/// `question` with lower weights of the words that most of the found passages have, and of the name
/// of a source.
[[nodiscard]] Question weighed(Question question, const Conversation& conversation);

/// A file that a search over everything found.
struct RankedFile {
  std::string path;  ///< "name/path"
  double score = 0;
};

/// The files of the searches over everything, best first.
[[nodiscard]] std::vector<RankedFile> ranked_files(const Conversation& conversation,
                                                   const Question& question);

/// A passage of a lookup, and how far up the searches have it: 1 is first.
struct RankedPassage {
  Found found;
  double rank = 0;
  double worth = 0;  ///< by its first lines
};

/// The passages of all lookups, each once, best first by what is known of them.
[[nodiscard]] std::vector<RankedPassage> ranked_passages(const Conversation& conversation,
                                                         const std::vector<RankedFile>& files,
                                                         const Question& question);

/// How well an excerpt answers, about 0 to 3. `rank` is that of RankedPassage.
[[nodiscard]] double worth(const Excerpt& excerpt, const Passage& passage, double rank,
                           const Question& question);

/// True if the excerpt has enough of the question to be shown at all; words of its path count.
[[nodiscard]] bool fits(const Excerpt& excerpt, const Passage& passage, const Question& question);

}  // namespace quarry::extractive
