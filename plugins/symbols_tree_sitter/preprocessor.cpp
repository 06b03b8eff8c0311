#include "symbols_tree_sitter/preprocessor.h"

#include "symbols_tree_sitter/name.h"

#include <algorithm>

namespace quarry::symbols_tree_sitter {
namespace {

/// Nested conditionals, so that the work stays a multiple of the text.
constexpr std::size_t kDeepest = 64;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/// Reads lines, without those in comments of several lines.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Conditionals read() {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      const std::size_t mark = skip_blanks(at_);
      if (mark < text_.size() && text_[mark] == '#') {
        read_directive(begin, mark + 1);
      } else {
        skip_line();
      }
    }
    while (!open_.empty()) close(text_.size());
    return std::move(found_);
  }

 private:
  struct Open {
    std::int32_t group;
    std::uint32_t number;
    std::size_t begin;
    bool dead;
  };

  [[nodiscard]] std::size_t skip_blanks(std::size_t at) const {
    while (at < text_.size() && is_blank(text_[at])) ++at;
    return at;
  }

  /// To the line after this one, or after the comment that ends on another.
  void skip_line() {
    char quote = 0;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == '\\') ++at_;
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
        break;
      } else if (text_.substr(at_, 2) == "/*") {
        const auto end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 1;
      }
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  /// To the line after a directive, which goes on after a backslash or a comment.
  void skip_directive() {
    do {
      skip_line();
    } while (at_ < text_.size() && continues(at_));
  }

  /// True if the line before `at` ends with a backslash.
  [[nodiscard]] bool continues(std::size_t at) const {
    std::size_t last = at - 1;
    if (last > 0 && text_[last - 1] == '\r') --last;
    return last > 0 && text_[last - 1] == '\\';
  }

  void read_directive(std::size_t begin, std::size_t at) {
    at = skip_blanks(at);
    std::size_t end = at;
    while (end < text_.size() && text_[end] >= 'a' && text_[end] <= 'z') ++end;
    const std::string_view word = text_.substr(at, end - at);
    skip_directive();
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      found_.sizes.push_back(1);
      const auto condition = text_.substr(end, at_ - end);
      open(static_cast<std::int32_t>(found_.sizes.size()) - 1, 0, is_zero(condition));
    } else if (word.starts_with("el") && !open_.empty()) {
      const Open last = open_.back();
      close(begin);
      open(last.group, last.number + 1, false);
      ++found_.sizes[last.group];
    } else if (word == "endif" && !open_.empty()) {
      close(begin);
    }
    found_.directives.push_back(
        {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
  }

  [[nodiscard]] bool is_zero(std::string_view condition) const {
    const auto begin = condition.find_first_not_of(" \t");
    if (begin == condition.npos || condition[begin] != '0') return false;
    const auto next = condition.find_first_not_of(" \t\r", begin + 1);
    return next == condition.npos || condition[next] == '\n' || condition[next] == '/';
  }

  void open(std::int32_t group, std::uint32_t number, bool dead) {
    open_.push_back({group, number, at_, dead});
  }

  void close(std::size_t end) {
    const Open last = open_.back();
    open_.pop_back();
    const Region lines{static_cast<std::uint32_t>(last.begin), static_cast<std::uint32_t>(end)};
    if (open_.size() >= kDeepest) return;
    found_.branches.push_back({lines, last.group, last.number, last.dead});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  Conditionals found_;
};

void blank(std::string& text, Region region) {
  for (auto at = region.begin; at < region.end; ++at) {
    if (text[at] != '\n') text[at] = ' ';
  }
}

}  // namespace

Conditionals find_conditionals(std::string_view text) {
  return Reader(text).read();
}

std::vector<Definition> macros_of(std::string_view text, const Conditionals& conditionals) {
  std::vector<Definition> macros;
  std::uint32_t line = 1;
  std::uint32_t at = 0;
  for (const Region& lines : conditionals.directives) {
    line += static_cast<std::uint32_t>(std::ranges::count(text.substr(at, lines.begin - at), '\n'));
    at = lines.begin;
    const std::string_view directive = text.substr(lines.begin, lines.end - lines.begin);
    const auto word = directive.find_first_not_of(" \t", directive.find('#') + 1);
    if (word == directive.npos || !directive.substr(word).starts_with("define")) continue;
    const auto begin = directive.find_first_not_of(" \t", word + 6);
    if (begin == directive.npos || !is_word(directive[begin])) continue;
    auto end = begin;
    while (end < directive.size() && is_word(directive[end])) ++end;
    Definition macro;
    macro.kind = "macro";
    macro.name = written_name(directive.substr(begin, end - begin));
    macro.name_byte = lines.begin + static_cast<std::uint32_t>(begin);
    macro.name_line = macro.first_line = line;
    macro.begin = lines.begin;
    macro.end = lines.end;
    const auto last = directive.find_last_not_of(" \t\r\n");
    macro.last_line =
        line + static_cast<std::uint32_t>(std::ranges::count(directive.substr(0, last), '\n'));
    macros.push_back(std::move(macro));
  }
  return macros;
}

std::string with_branches(std::string_view text, const Conditionals& conditionals,
                          std::uint32_t number) {
  std::string out(text);
  for (const Region& lines : conditionals.directives) blank(out, lines);
  std::vector<bool> first_dead(conditionals.sizes.size());
  for (const Branch& branch : conditionals.branches) {
    if (branch.dead) first_dead[branch.group] = true;
  }
  for (const Branch& branch : conditionals.branches) {
    const std::uint32_t shift = first_dead[branch.group] ? 1 : 0;
    const std::uint32_t shown = std::min(number + shift, conditionals.sizes[branch.group] - 1);
    if (branch.number != shown || branch.number < shift) blank(out, branch.lines);
  }
  return out;
}

}  // namespace quarry::symbols_tree_sitter
