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

  /// Writes to standard output at once. False when nobody reads it any more.
  bool out(std::string_view text);
  /// Writes a whole line to standard error, replacing a status line that stands there.
  void note(std::string_view line);
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
  [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }

 private:
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
