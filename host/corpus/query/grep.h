#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/query/collection.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

/// Longer lines are cut around their first match.
inline constexpr std::size_t kGrepLineCharacters = 2000;

struct GrepQuery {
  std::string pattern;  ///< RE2 syntax, matched line by line, UTF-8; see line_syntax.h
  std::string path;     ///< file or directory as written by the model; "" = everything
  std::string include;  ///< glob of paths to search, with or without the name; "" = all
  bool ignore_case = false;
  std::uint32_t context = 0;  ///< lines before and after, at most 10
  std::uint32_t limit = 100;  ///< matching lines, at most 1,000
  std::uint32_t skip = 0;     ///< matching lines to leave out before the first
};

struct GrepLine {
  std::uint32_t number;  ///< from 1
  bool match;            ///< false for a line of context
  std::string text;      ///< without newline or "\r\n"; "…" where it was cut
};

struct GrepFile {
  std::string path;    ///< "<name>/<path>"
  std::size_t source;  ///< index into Collection::sources()
  FileRef file;
  std::vector<GrepLine> lines;
};

struct GrepResult {
  std::vector<GrepFile> files;  ///< in order of source, then path
  std::uint32_t matches = 0;    ///< matching lines in `files`
  bool truncated = false;       ///< there are more
};

/// The first `limit` matching lines after `skip` others in path order, independent of the number of
/// threads. Time is linear in the text. Damaged files are skipped; Segment::damaged_files() lists
/// them. kInvalidArgument for a bad pattern, with RE2's reason; kCancelled.
Result<GrepResult> grep(const Collection& collection, const GrepQuery& query, Executor& executor,
                        std::stop_token stop);

}  // namespace quarry::corpus
