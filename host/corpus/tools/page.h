#pragma once

#include "base/json.h"
#include "corpus/tools/page_cursor.h"
#include "corpus/tools/page_text.h"
#include "corpus/tools/retrieval.h"
#include "corpus/tools/tool_arguments.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::corpus {

/// Lines of one file that belong together.
struct HitLines {
  std::size_t source;  ///< index into Collection::sources()
  std::string path;    ///< within the source
  std::uint32_t first;
  std::vector<std::string> lines;  ///< at least one; any bytes
  std::string heading = {};
  std::size_t least = 1;       ///< lines without which the hit is of no use
  std::uint32_t end = 0;       ///< last line of the whole, if that is after these lines
  Json explain = nullptr;      ///< the member "explain", unless null
  bool is_definition = false;  ///< whose heading tells more than its lines
};

/// The results of one page, as many as its budget allows. Every page has the begin of one result,
/// whatever the budget.
class Page {
 public:
  /// The retrieval must outlive it.
  Page(const Retrieval& retrieval, std::uint32_t max_tokens);

  /// Bytes left.
  [[nodiscard]] std::size_t space() const { return space_; }
  /// Adds lines of a hit, as many as fit in `share` bytes and in the page, and returns their
  /// number; 0, and no change, if fewer than `least` fit. On an empty page that many are added even
  /// so, the last one cut. With `is_whole`, a hit that is cut tells the last line of the whole.
  std::size_t add(const HitLines& hit, std::size_t share = std::numeric_limits<std::size_t>::max(),
                  bool is_whole = false);
  /// False, and no change, if it does not fit; the first one always does.
  bool add_entry(Json entry);
  [[nodiscard]] std::size_t count() const { return results_.size(); }

  /// The answer: the results under `name`, and a cursor if there is a next position.
  Json finish(const char* name, const PageCursor& cursor, std::optional<std::uint32_t> next,
              const std::string& note) &&;

 private:
  [[nodiscard]] bool counts_text() const { return retrieval_.form == PageForm::kText; }
  [[nodiscard]] Json described(const HitLines& hit, std::size_t count) const;
  void add_lines(const HitLines& hit, const std::vector<std::string>& lines, std::uint32_t end);
  [[nodiscard]] std::size_t frame_size(const HitLines& hit) const;
  [[nodiscard]] std::size_t line_size(std::uint32_t number, const std::string& line) const;
  [[nodiscard]] std::string cut_line(const std::string& line, std::size_t bytes) const;

  const Retrieval& retrieval_;
  PageText text_;
  std::size_t space_;
  Json results_ = Json::array();
};

/// The arguments of pages, and the error about all arguments of a call.
struct PageArguments {
  /// Reads `maxTokens` and `cursor`, whose cursor must fit `page_cursor`.
  static Result<PageArguments> read(ToolArguments& arguments, const PageCursor& page_cursor,
                                    PageForm form);

  std::uint32_t max_tokens;
  std::uint32_t position;
};

/// An error of the field `field`: kInvalidArgument with details, tag RequestError.
[[nodiscard]] Error error_of_field(std::string_view field, const Error& cause);

}  // namespace quarry::corpus
