#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// Standard output and error as the user sees them. Colours only on a terminal without NO_COLOR
/// (no-color.org). Not thread-safe.
class Terminal {
 public:
  Terminal();

  // What is shown may come from outside: it reaches a terminal as printable() text alone.

  /// Writes to standard output at once; into a file or a pipe as it is. False when nobody reads it
  /// any more.
  bool out(std::string_view text);
  /// The same of one record, which stays one line wherever it goes.
  bool out_line(std::string_view line);
  /// The same of one line of JSON, which stays JSON of the same value.
  bool out_json(std::string_view json);
  enum class Style { kPlain, kDim };
  /// Writes a whole line to standard error, replacing a status line that stands there; further
  /// lines of it are indented.
  void note(std::string_view line, Style style = Style::kPlain);
  /// A line that the next note, output or status replaces; nothing unless standard error is a
  /// terminal that can.
  void status(std::string_view line) { status(std::vector<std::string>{std::string(line)}); }
  /// The same of several lines.
  void status(const std::vector<std::string>& lines);
  void clear_status();
  /// "error: …" with its details and its hint.
  void error(const Error& error);

  [[nodiscard]] bool interactive() const { return error_is_terminal_; }
  /// Whether a status is shown.
  [[nodiscard]] bool redraws() const { return redraws_; }
  /// Of a status: columns of a line, and lines.
  struct Size {
    std::size_t width = 80;
    std::size_t height = 24;
  };
  [[nodiscard]] Size size() const;
  [[nodiscard]] bool out_is_terminal() const { return out_is_terminal_; }

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
};

}  // namespace quarry::cli
