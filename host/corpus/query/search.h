#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/query/collection.h"
#include "corpus/query/explanation.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

struct SearchQuery {
  std::string words;         ///< a question or a few words in natural language, of any length
  std::string path;          ///< search only beneath this path; "" = everything
  std::uint32_t limit = 10;  ///< passages, at most 50
  bool explain = false;      ///< with the explanation of each score; takes twice the time
  bool words_only = false;   ///< do not compare vectors, and do not rerank
};

struct Passage {
  std::string path;    ///< "<name>/<path>"
  std::size_t source;  ///< index into Collection::sources()
  FileRef file;
  std::uint32_t start_line;      ///< from 1
  std::uint32_t end_line;        ///< inclusive
  std::string heading;           ///< the function or heading that contains it; may be empty
  double score;                  ///< greater is better; comparable within one result only
  Explanation explanation = {};  ///< empty unless requested
};

/// The passages that best answer `words`, best first. A segment without an index is scanned with
/// the same ranking. With an encoder in the collection, and unless the question names a known
/// definition or file, passages near to its meaning are fused into the ranking; a reranker then
/// orders the best. `note` (may be null) receives a sentence about what of that is missing, or
/// nothing. kCancelled.
Result<std::vector<Passage>> search(const Collection& collection, const SearchQuery& query,
                                    Executor& executor, std::stop_token stop,
                                    std::string* note = nullptr);

}  // namespace quarry::corpus
