#pragma once

#include "base/json_member.h"
#include "corpus/tools/page_cursor.h"
#include "corpus/tools/page_text.h"
#include "corpus/tools/retrieval.h"

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
  std::size_t least = 1;  ///< lines without which the hit is of no use
  /// Numbers of lines at which the hit may be cut, in order; empty = at any.
  std::vector<std::size_t> cuts = {};
  std::uint32_t end = 0;     ///< last line of the whole, if that is after these lines
  Json explain = nullptr;    ///< the member "explain", unless null
  bool has_heading = false;  ///< as text too, although its lines name it
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

/// The arguments of a call, which follow the schema of its tool; null counts as omitted.
class PageArguments {
 public:
  /// All must outlive it.
  PageArguments(std::string_view tool, const Json& arguments, const Retrieval& retrieval)
      : arguments_(arguments), retrieval_(retrieval), cursor_(tool, arguments, retrieval) {}

  [[nodiscard]] std::string text(const char* name) const { return text_of(arguments_, name); }
  [[nodiscard]] std::uint32_t number(const char* name, std::uint32_t omitted) const;
  /// False if omitted.
  [[nodiscard]] bool flag(const char* name) const;
  [[nodiscard]] std::uint32_t max_tokens() const;
  [[nodiscard]] const PageCursor& cursor() const { return cursor_; }
  /// The position of the argument `cursor`, or an error of that field.
  [[nodiscard]] Result<std::uint32_t> position() const;

 private:
  const Json& arguments_;
  const Retrieval& retrieval_;
  const PageCursor cursor_;
};

/// An error of the field `field`: kInvalidArgument with details, tag RequestError.
[[nodiscard]] Error error_of_field(std::string_view field, const Error& cause);

}  // namespace quarry::corpus
