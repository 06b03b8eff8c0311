#pragma once

#include "base/error.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// A regular expression in the syntax of ripgrep, translated for RE2.
struct LineSyntax {
  std::string re2;
  /// The text that the pattern matches if it is a plain literal.
  std::optional<std::string> literal;
  /// It has \A, \z or a flag that changes ^ and $, so each line must be matched separately.
  bool text_anchors = false;
  /// It ignores case somewhere, or contains or may match a character beyond ASCII, which RE2 may
  /// fold to an ASCII letter.
  bool folds = false;
  /// It names the carriage return, so the one that ends a line of a file with CRLF can match.
  bool names_return = false;
};

/// Translates `pattern`. Classes such as \d, \w and \s get their Unicode meaning (except \W within
/// [...]; \b knows letters beyond ASCII at the begin and the end of a pattern only), \uXXXX and
/// (?<name>...) the notation of RE2.
/// kInvalidArgument for a newline, which no line contains, and for \C, which would split a
/// character; RE2 reports all other errors.
Result<LineSyntax> parse_line_syntax(std::string_view pattern);

}  // namespace quarry::corpus
