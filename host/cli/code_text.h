#pragma once

#include <string>
#include <string_view>

namespace quarry::cli {

struct CodeLanguage;

/// The lines of a block of code as lines for a terminal, with comments, texts, numbers and keywords
/// in colours of their own. Code of a language that is not known has one colour.
class CodeText {
 public:
  /// `info`: what follows the fence, "python src/dates.py". `colour`: with escape sequences.
  CodeText(std::string_view info, bool colour);

  /// The next line, indented and made printable; neither has a newline.
  [[nodiscard]] std::string line(std::string_view line);

 private:
  [[nodiscard]] std::string painted(std::string_view rest);

  const CodeLanguage* language_;
  bool colour_;
  std::string_view comment_end_;  ///< of a comment that goes on in the next line
};

}  // namespace quarry::cli
