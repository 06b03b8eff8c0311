#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// How an answer marks a quotation.
enum class QuotationKind : std::uint8_t {
  kFence,  ///< a fenced block
  kBlock,  ///< "> " lines
  kProse,  ///< in quotation marks within a sentence
  kCode,   ///< in backquotes within a sentence
};

enum class QuotationMatch : std::uint8_t {
  kExact,    ///< it stands there
  kAltered,  ///< something stands there that differs from it in at most a quarter of its bytes
  kAbsent,
};

struct ComparedQuotation {
  QuotationMatch match;
  std::string nearest = {};  ///< for kAltered: what stands there, cut after 200 bytes
};

/// A quotation, to be compared with the texts that it is said to come from. [any thread]
class Quotation {
 public:
  Quotation(std::string_view text, QuotationKind kind);

  /// White space and the forms of quotation marks and dashes do not count; an ellipsis, on its own
  /// line in a block or anywhere in a sentence, matches any text; a word or number must be whole.
  /// In kBlock and kProse emphasis, backquotes, the marks of comments, the case of the first letter
  /// and the last punctuation mark do not count either. Without `nearest`, what is not kExact is
  /// kAbsent.
  [[nodiscard]] ComparedQuotation compare(std::string_view text, bool nearest = true) const;

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  using Parts = std::vector<std::string>;

  std::string text_;
  QuotationKind kind_;
  Parts between_lines_;     ///< between the lines that are ellipses, without white space
  Parts between_ellipses_;  ///< between any ellipses; empty in blocks, and if there are none
};

/// True if `name` stands in `text`, at least as the beginning or end of a longer word.
[[nodiscard]] bool is_named_in(std::string_view name, std::string_view text);

}  // namespace quarry::corpus
