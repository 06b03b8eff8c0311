#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/collection.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

/// Lines longer than this are cut around their first match.
inline constexpr std::size_t kGrepLineCharacters = 2000;

struct GrepQuery {
  std::string pattern;  ///< RE2 syntax, matched line by line, UTF-8; see line_syntax.h
  std::string path;     ///< file or directory as the model writes it; "" = everything
  std::string include;  ///< glob of paths to look in, with or without the name; "" = all
  bool ignore_case = false;
  std::uint32_t context = 0;  ///< lines before and after, at most 10
  std::uint32_t limit = 100;  ///< matching lines, at most 1,000
};

struct GrepLine {
  std::uint32_t number;  ///< from 1
  bool match;            ///< false for a line of context
  std::string text;      ///< without newline or "\r\n"; "…" stands where it was cut
};

struct GrepFile {
  std::string path;  ///< "<name>/<path>"
  std::vector<GrepLine> lines;
};

struct GrepResult {
  std::vector<GrepFile> files;  ///< in order of source, then path
  std::uint32_t matches = 0;    ///< matching lines in `files`
  bool truncated = false;       ///< there are more
};

/// The first `limit` matching lines in path order, whatever number of threads looked. Time is
/// linear in the text. A damaged file is passed over; damage_notice() tells of it. kInvalidArgument
/// for a bad pattern, with RE2's reason; kCancelled.
Result<GrepResult> grep(const Collection& collection, const GrepQuery& query, Executor& executor,
                        std::stop_token stop);

}  // namespace quarry::corpus
