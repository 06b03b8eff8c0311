#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// `text` between the SGR sequence with `codes`, such as "1;36", and the one that ends it.
[[nodiscard]] std::string styled(std::string_view codes, std::string_view text);

/// The longest beginning of well-formed `text` that takes at most `columns` columns of a terminal,
/// and at least a character: of East Asian scripts and emoji each takes two, a combining one none,
/// a tab eight.
[[nodiscard]] std::string_view first_columns(std::string_view text, std::size_t columns);

/// Standard output and error. Colours only on a terminal without NO_COLOR (no-color.org). Not
/// thread-safe.
class Terminal {
 public:
  Terminal();

  // Output may contain text from outside: a terminal receives only printable() text.

  /// Writes to standard output at once, unchanged to a file or a pipe. False if that failed,
  /// as when the reader has closed it.
  bool out(std::string_view text);
  /// The same for one record, always on one line.
  bool out_line(std::string_view line);
  /// The same for one line of JSON; the value is preserved.
  bool out_json(std::string_view json);
  /// The same for text that is safe for a terminal and may have escape sequences.
  bool out_drawn(const std::string& drawn) { return write(drawn); }
  /// The errno of the first output that could not be written; 0 if all could.
  [[nodiscard]] int write_failure() const { return write_failure_; }
  enum class Style { kPlain, kDim };
  /// `text` made safe; a link to `url` where colours are shown and `url` can be one.
  [[nodiscard]] std::string link(std::string_view text, std::string_view url) const;
  /// Writes a line of text that is safe to standard error.
  void note_drawn(const std::string& drawn);
  /// Writes a whole line to standard error, replacing a status line; further lines in it are
  /// indented.
  void note(std::string_view line, Style style = Style::kPlain);
  /// A line that the next note, output or status replaces; no effect unless standard error is a
  /// terminal that supports it.
  void status(std::string_view line) { status(std::vector<std::string>{std::string(line)}); }
  /// The same for several lines, of which those are shown that fit.
  void status(const std::vector<std::string>& lines);
  void clear_status();
  /// "error: …" with its details and its hint.
  void error(const Error& error);

  [[nodiscard]] bool interactive() const { return error_is_terminal_; }
  /// True if status lines are shown.
  [[nodiscard]] bool redraws() const { return redraws_; }
  /// Columns and lines available for a status.
  struct Size {
    std::size_t width = 80;
    std::size_t height = 24;
  };
  [[nodiscard]] Size size() const;
  [[nodiscard]] bool out_is_terminal() const { return out_is_terminal_; }
  [[nodiscard]] bool shows_colour() const { return colour_; }

 private:
  bool write(const std::string& safe);
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;
  [[nodiscard]] std::string status_cleared() const;

  bool out_is_terminal_;
  bool error_is_terminal_;
  bool redraws_;
  bool colour_;
  std::size_t status_lines_ = 0;  // shown
  bool out_at_line_start_ = true;
  int write_failure_ = 0;
};

}  // namespace quarry::cli
