#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "base/json.h"
#include "corpus/query/collection.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace quarry::corpus {

class SymbolAnalyser;

// Tools for the models of questions and for callers with a model of their own. They answer in pages
// of limited size.

/// Facts about a source that its snapshot does not contain.
struct SourceFacts {
  std::string version;
  /// URL of lines of a file; "" = none. `path` is within the source. May be empty.
  std::function<std::string(std::string_view path, std::uint32_t start, std::uint32_t end)>
      permalink;
  /// The URL of most files, with {path}, {start} and {end}; "" = none.
  std::string permalink_pattern = {};
};

/// The form of a page, which decides what its budget counts.
enum class PageForm {
  kJson,
  kText,  ///< text for a model, see PageText
  kBoth,  ///< JSON of the budget's size, and the same as text
};

/// Bytes of an answer for which one token is estimated.
inline constexpr std::size_t kBytesPerToken = 4;
inline constexpr std::uint32_t kDefaultTokens = 2000;
inline constexpr std::uint32_t kDefaultTextTokens = 1000;  ///< of PageForm::kText
inline constexpr std::uint32_t kQuestionTokens = 12'500;   ///< of the tools of a question
inline constexpr std::uint32_t kLeastTokens = 200;
inline constexpr std::uint32_t kMostTokens = 8000;

/// Everything that a retrieval reads. The collection and facts must outlive it.
struct Retrieval {
  const Collection& collection;
  /// In the order of the sources; none for a model that knows them: passages have headings then.
  std::span<const SourceFacts> facts;
  Executor& executor;
  std::stop_token stop;
  std::size_t reserved_bytes = 0;     ///< of the answer, for members that the caller adds
  SymbolAnalyser* symbols = nullptr;  ///< null = `symbols` fails with symbols_unavailable()
  PageForm form = PageForm::kJson;
  std::uint32_t default_tokens = kDefaultTokens;  ///< of a call without "maxTokens"
};

/// The facts of the source `i`; empty ones if there are none.
[[nodiscard]] const SourceFacts& facts_of(const Retrieval& retrieval, std::size_t i);

/// A page of results, an object:
/// - "hits" (search, grep, read, symbols): [{"path": "<name>/<path>", "startLine", "endLine",
/// "version",
///   "url"?, "citation", "heading"?, "text", "continuesTo"?: last line of a hit that is cut}]
/// - "entries" (list): [{"path", "kind", "lines"?, "bytes"?, "files"?, "version"?}]
/// - "more": true if there are further results; "cursor": argument for them; "note": a sentence
///   about what was left out
/// - "total"?: number of entries, of passages, or of the file's lines
/// - "text"?: the results as text, unless the form is kJson; finish_text() completes it
///
/// The page has at most `maxTokens` tokens of JSON, but always the begin of one result. A cursor
/// contains the position and digests of the arguments and of the sources' versions; nothing is kept
/// between pages. `limit` and `maxTokens` may differ from page to page.
///
/// The arguments follow the schema of the tool. kInvalidArgument, tag RequestError, with the field
/// in the details: what a schema cannot refuse, a path that does not exist, a cursor that is
/// malformed, of other arguments or of other versions. kCancelled when `stop` was requested.
/// Blocks; meant for a worker.
using Retrieve = Result<Json> (*)(const Retrieval& retrieval, const Json& arguments);
Result<Json> search_page(const Retrieval& retrieval, const Json& arguments);
Result<Json> grep_page(const Retrieval& retrieval, const Json& arguments);
Result<Json> list_page(const Retrieval& retrieval, const Json& arguments);
Result<Json> read_page(const Retrieval& retrieval, const Json& arguments);
/// The definitions of a name, with `references` the lines that use it, without `name` the outline
/// of the file `path`: hits.
Result<Json> symbols_page(const Retrieval& retrieval, const Json& arguments);

/// The error of a tool about symbols when nothing analyses source code: kUnavailable.
[[nodiscard]] Error symbols_unavailable();

/// Estimated tokens of an answer: one for each kBytesPerToken bytes of its JSON, or of the text
/// that stands for it, rounded up.
[[nodiscard]] std::size_t estimated_tokens(const Json& answer);

/// The citation of lines of a file as answers contain it, "[name:path#L10-L20]"; a path that
/// cannot stand in a citation is percent-encoded.
[[nodiscard]] std::string citation_text(const Source& source, std::string_view path,
                                        std::uint32_t start_line, std::uint32_t end_line);

}  // namespace quarry::corpus
