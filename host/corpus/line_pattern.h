#pragma once

#include "base/error.h"
#include "corpus/trigram_index.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A regular expression to be looked for in the lines of many texts. What it finds is what RE2
/// finds in each line by itself; most lines are passed over without being looked at. Time is linear
/// in the text. Immutable, thread-safe.
class LinePattern {
 public:
  /// kInvalidArgument when RE2 does not accept it, with its reason and what to write instead.
  static Result<LinePattern> compile(std::string_view pattern, bool ignore_case);
  ~LinePattern();
  LinePattern(LinePattern&&) noexcept;
  LinePattern& operator=(LinePattern&&) noexcept;

  /// Calls `on_line` for every matching line of `block` (one text or several, with a NUL between),
  /// without its newline, in order, until it returns false.
  using OnLine = std::function<bool(std::string_view line)>;
  void scan(std::string_view block, const OnLine& on_line) const;

  /// Where in `line` it first matches, in bytes; npos when it does not.
  [[nodiscard]] std::size_t find(std::string_view line) const;

  /// Which of `files` files may have a match, or nullopt when the index cannot tell.
  [[nodiscard]] std::optional<std::vector<bool>> candidates(const TrigramIndex& index,
                                                            FileId files) const;

  struct Parts;
  explicit LinePattern(std::unique_ptr<Parts> parts);

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace quarry::corpus
