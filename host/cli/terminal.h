#pragma once

#include "base/error.h"

#include <cstdio>
#include <string>
#include <string_view>

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
  /// terminal.
  void status(std::string_view line);
  /// "error: …" with its details and its hint.
  void error(const Error& error);

  [[nodiscard]] bool interactive() const { return error_is_terminal_; }
  [[nodiscard]] bool out_is_terminal() const { return out_is_terminal_; }
  [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;
  void clear_status();

  bool out_is_terminal_;
  bool error_is_terminal_;
  bool colour_;
  bool status_shown_ = false;
  bool out_at_line_start_ = true;
};

}  // namespace quarry::cli
