#pragma once

#include "cli/code_text.h"
#include "cli/markdown_text.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace quarry::cli {

/// A growing markdown text as lines for a terminal: what is complete is returned at once, a block
/// of prose when it ends, a fenced block line by line.
class MarkdownStream {
 public:
  /// Changes prose before it is drawn; empty = as it is.
  using Rewrite = std::function<std::string(std::string_view markdown)>;
  explicit MarkdownStream(MarkdownStyle style, Rewrite rewrite = nullptr)
      : style_(style), rewrite_(std::move(rewrite)) {}

  /// Lines that `text` completes.
  [[nodiscard]] std::string add(std::string_view text);
  /// The rest.
  [[nodiscard]] std::string finish();
  /// What has come since, not yet returned.
  [[nodiscard]] const std::string& pending() const { return pending_; }

 private:
  std::string take_line(std::string_view line);
  std::string end_block();

  MarkdownStyle style_;
  Rewrite rewrite_;
  std::string pending_;    ///< prose that has not ended, then an incomplete line
  std::size_t lines_ = 0;  ///< bytes of whole lines in `pending_`
  std::string fence_;      ///< that ends the block of code; empty outside
  CodeText code_{"", false};
};

}  // namespace quarry::cli
