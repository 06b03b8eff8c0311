#include "config/nesting.h"

#include <vector>

namespace quarry::config {
namespace {

/// One pass over the tokens of a TOML text that determine its depth.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::optional<TextPosition> run() {
    while (at_ < text_.size()) {
      step();
      if (depth() > kMaxNesting) return TextPosition{line_, column()};
    }
    return std::nullopt;
  }

 private:
  /// Levels of the current header, of the open brackets, each with its key, and of the current key.
  std::size_t depth() const { return header_ + enclosing_ + open_.size() + parts_; }

  void step() {
    const char c = text_[at_];
    if (c == '#') return skip_comment();
    if (c == '"' || c == '\'') return skip_string(c);
    ++at_;
    if (c == '\n') return end_line();
    if (c == '.' && !in_value_) ++parts_;
    if (c == '=') in_value_ = true;
    if (c == ',' && !open_.empty()) next_item();
    if (c == '[' || c == '{') open(c);
    if (c == ']' || c == '}') close();
    if (c != ' ' && c != '\t' && c != '\r') line_is_blank_ = false;
  }

  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_start_); }

  void end_line() {
    ++line_;
    line_start_ = at_;
    line_is_blank_ = true;
    if (!open_.empty()) return;
    if (in_header_) header_ = parts_ + 1;
    in_header_ = false;
    parts_ = 0;
    in_value_ = false;
  }

  struct Open {
    char bracket;
    std::size_t parts;  // of the key of this value
  };

  void open(char bracket) {
    if (bracket == '[' && line_is_blank_ && open_.empty()) {
      in_header_ = true;
      header_ = 0;
      parts_ = 0;
    }
    if (in_header_) return;
    open_.push_back({bracket, parts_});
    enclosing_ += parts_;
    parts_ = 0;
    in_value_ = bracket == '[';
  }

  void close() {
    if (in_header_ || open_.empty()) return;
    parts_ = open_.back().parts;
    enclosing_ -= parts_;
    open_.pop_back();
    in_value_ = true;
  }

  void next_item() {
    parts_ = 0;
    in_value_ = open_.back().bracket == '[';
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void skip_string(char quote) {
    line_is_blank_ = false;
    const std::string_view three = quote == '"' ? R"(""")" : "'''";
    if (text_.substr(at_, 3) == three) return skip_long_string(quote, three);
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
        if (at_ == text_.size() || text_[at_] == '\n') return;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
  }

  void skip_long_string(char quote, std::string_view three) {
    for (at_ += 3; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (text_[at_] == '\\' && quote == '"') {
        if (text_.substr(at_ + 1, 1) != "\n") ++at_;
      } else if (text_.substr(at_, 3) == three) {
        at_ += 3;
        // Up to two quotes may precede the closing ones.
        for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  bool line_is_blank_ = true;  // up to at_
  bool in_header_ = false;
  bool in_value_ = false;      // dots belong to a value, not to a key
  std::size_t header_ = 0;     // parts of the last header
  std::size_t parts_ = 0;      // dots of the current key
  std::size_t enclosing_ = 0;  // sum of open_[…].parts
  std::vector<Open> open_;
};

}  // namespace

std::optional<TextPosition> nested_too_deep(std::string_view text) {
  return Scan(text).run();
}

}  // namespace quarry::config
