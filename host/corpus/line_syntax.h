#pragma once

#include "base/error.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// A pattern as a model writes it, made ready for RE2 with the meaning ripgrep gives it.
struct LineSyntax {
  std::string re2;
  /// What the pattern says when it is nothing but text.
  std::optional<std::string> literal;
  /// It has \A, \z or a flag that changes ^ and $: lines must be looked at one by one.
  bool text_anchors = false;
  /// It ignores case somewhere, or has or may have a character beyond ASCII, which RE2 may show as
  /// an ASCII letter of the other case.
  bool folds = false;
};

/// Classes such as \d, \w and \s get their Unicode meaning (but for a \W within [...]; \b stays
/// that of ASCII letters), \uXXXX and (?<name>...) the spelling of RE2. kInvalidArgument for a
/// newline, which no line contains, and for \C, which would cut a character in two; everything else
/// is left to RE2 to judge.
Result<LineSyntax> parse_line_syntax(std::string_view pattern);

}  // namespace quarry::corpus
