#pragma once

#include "cli/signals.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// Reads lines from a terminal with editing, history and completion (libedit, which also reads the
/// user's ~/.editrc). One at a time in a process; used from one thread.
class LineEditor {
 public:
  /// The texts that may stand in place of `word`, the part of the line before the cursor that has
  /// no space; `line` is all of it.
  using Complete =
      std::function<std::vector<std::string>(std::string_view line, std::string_view word)>;

  /// `history` is read now and written after each line (mode 0600); empty = kept in memory.
  /// Failures to read or write it are ignored. `signals` must outlive it.
  LineEditor(Signals& signals, std::filesystem::path history, Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  struct Line {
    std::string text;          ///< without its newline, UTF-8
    bool interrupted = false;  ///< the user discarded it with an interrupt
  };
  /// The next line; nullopt at the end of the input or after a signal to end.
  std::optional<Line> read(const std::string& prompt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What completing `word` adds, if `candidates` (which begin with it) have more in common; "" else.
[[nodiscard]] std::string common_rest(std::string_view word,
                                      const std::vector<std::string>& candidates);

}  // namespace quarry::cli
