#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/citation_numbers.h"
#include "cli/markdown_stream.h"
#include "cli/progress_board.h"
#include "cli/terminal.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::cli {

/// Shows a `resource.progress` event on standard error: redrawn if the terminal supports it,
/// otherwise a line for each new message.
void show_progress(Terminal& terminal, ProgressBoard& board, std::string_view event);

/// "docs/dates.md:3-9" for a citation of the wire.
[[nodiscard]] std::string cited_place(const Json& citation);

/// Shows the events of one question: the answer on standard output as it arrives; progress, tool
/// calls and the closing line on standard error.
class AnswerPrinter {
 public:
  struct Style {
    bool json = false;   ///< only the events of the wire, one line of JSON each
    bool quiet = false;  ///< only the answer
    bool plain = false;  ///< the answer as the model wrote it, also on a terminal
  };
  /// Says that the answer is waited for.
  AnswerPrinter(Terminal& terminal, Style style);

  void show(std::string_view name, std::string_view json);

  /// Failure of a question that ended with an `error` event, or before any text at a limit or
  /// filter.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  /// True if the answer was cut at a limit or by a filter.
  [[nodiscard]] bool incomplete() const { return incomplete_; }
  /// True if it ended as cancelled.
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  /// False once standard output is closed.
  [[nodiscard]] bool readable() const { return readable_; }

 private:
  void show_text(std::string_view delta);
  /// A line for what the question waits for, until something else is shown.
  void show_wait(std::string_view what);
  void show_meta(const Json& event);
  void show_citations(const Json& event);
  void show_tool(const Json& event);
  void note_end(const Json& event);
  void show_end(const Json& event);

  Terminal& terminal_;
  Style style_;
  ProgressBoard board_;
  CitationNumbers numbers_;
  std::optional<MarkdownStream> markdown_;                   ///< on a terminal, unless plain
  std::map<std::string, std::string, std::less<>> folders_;  ///< by resource read in place
  std::string model_;  ///< "openai/gpt-x"; empty until it is known
  std::string thread_;
  std::optional<Error> failure_;
  bool cancelled_ = false;
  bool incomplete_ = false;
  bool readable_ = true;
};

}  // namespace quarry::cli
