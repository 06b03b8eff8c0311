#pragma once

#include "base/error.h"
#include "corpus/index/trigram_index.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A regular expression for searching the lines of many texts. Finds the same lines as RE2 applied
/// to each line, but skips most lines without examining them. A line ends before "\r\n"; only a
/// pattern that names the carriage return sees it. Time is linear in the text.
/// Immutable, thread-safe.
class LinePattern {
 public:
  /// kInvalidArgument if RE2 rejects the pattern, with its reason and a hint.
  static Result<LinePattern> compile(std::string_view pattern, bool ignore_case);
  ~LinePattern();
  LinePattern(LinePattern&&) noexcept;
  LinePattern& operator=(LinePattern&&) noexcept;

  /// Calls `on_line` for every matching line of `block` (one text or several, with a NUL between),
  /// without its newline, but with a carriage return before it, in order, until it returns false.
  using OnLine = std::function<bool(std::string_view line)>;
  void scan(std::string_view block, const OnLine& on_line) const;

  /// Byte offset of the first match in `line`; npos if there is none.
  [[nodiscard]] std::size_t find(std::string_view line) const;

  /// The files, out of `files`, that may have a match; nullopt if the index excludes none.
  [[nodiscard]] std::optional<std::vector<bool>> candidates(const TrigramIndex& index,
                                                            FileId files) const;

  struct Parts;
  explicit LinePattern(std::unique_ptr<Parts> parts);

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace quarry::corpus
