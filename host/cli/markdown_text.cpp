#include "cli/markdown_text.h"

#include "base/printable.h"
#include "base/utf8.h"
#include "cli/code_text.h"
#include "cli/hyperlink.h"
#include "cli/terminal.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <md4c.h>

namespace quarry::cli {
namespace {

constexpr std::string_view kBold = "1";
constexpr std::string_view kItalic = "3";
constexpr std::string_view kStruck = "9";
constexpr std::string_view kUnderlined = "4";
constexpr std::string_view kCode = "36";
constexpr std::size_t kLeastWidth = 10;

/// Text of one style and, if `link` is not empty, of one link.
struct Run {
  std::string text;
  std::string codes;  // SGR, "1;36"
  std::string link;
};

std::string painted(const Run& run, const MarkdownStyle& style) {
  if (!style.colour) return run.text;
  const std::string drawn = run.codes.empty() ? run.text : styled(run.codes, run.text);
  return hyperlink(drawn, run.link);
}

/// `href` if it is an address of the web that can be a link; empty otherwise.
std::string web_link(std::string_view href) {
  const auto begins = [&](std::string_view scheme) { return href.starts_with(scheme); };
  if (!begins("https://") && !begins("http://") && !begins("mailto:")) return {};
  return is_link_target(href) ? std::string(href) : std::string();
}

/// What the lines of a block begin with: the first one, and the others.
struct Margin {
  std::string first;
  std::string rest;
};

/// Receives what md4c finds and writes lines.
class Writer {
 public:
  explicit Writer(const MarkdownStyle& style) : style_(style) {}

  void enter(MD_BLOCKTYPE type, void* detail);
  void leave(MD_BLOCKTYPE type);
  void enter_span(MD_SPANTYPE type, void* detail);
  void leave_span(MD_SPANTYPE type);
  void text(MD_TEXTTYPE type, std::string_view text);
  std::string take() { return std::move(out_); }

 private:
  struct List {
    bool is_ordered;
    std::size_t next;
  };
  void add(std::string text);
  void end_prose();
  void end_code();
  void end_table();
  void line(const std::string& content);
  [[nodiscard]] std::size_t columns_left() const;
  [[nodiscard]] std::string codes() const;

  const MarkdownStyle& style_;
  std::string out_;
  std::vector<Run> runs_;
  std::vector<std::string> styles_;
  std::vector<std::string> links_;
  std::vector<Margin> margins_;
  std::vector<List> lists_;
  std::vector<std::vector<std::vector<Run>>> rows_;  // of a table, by cell
  std::optional<CodeText> code_;                     // of the block that has begun
  bool needs_blank_ = false;
};

std::string Writer::codes() const {
  std::string out;
  for (const std::string& one : styles_) out += (out.empty() ? "" : ";") + one;
  return out;
}

void Writer::add(std::string text) {
  const std::string link = links_.empty() ? "" : links_.back();
  std::vector<Run>& runs = rows_.empty() ? runs_ : rows_.back().back();
  runs.push_back({std::move(text), codes(), link});
}

/// Columns left of the margins.
std::size_t Writer::columns_left() const {
  std::size_t used = 0;
  for (const Margin& margin : margins_) used += utf8_length(margin.rest);
  return std::max(kLeastWidth, style_.width - std::min(style_.width, used));
}

/// Writes a line after its margins; of a new item its mark.
void Writer::line(const std::string& content) {
  std::string before;
  for (Margin& margin : margins_) {
    before += margin.first;
    margin.first = margin.rest;
  }
  if (content.empty()) before.erase(before.find_last_not_of(' ') + 1);
  out_ += before + content + '\n';
}

/// Wraps the runs of a paragraph at spaces.
void Writer::end_prose() {
  const std::size_t width = columns_left();
  std::string current;
  std::size_t columns = 0;
  std::vector<Run> word;
  const auto place = [&] {
    std::size_t length = 0;
    for (const Run& piece : word) length += utf8_length(piece.text);
    if (length == 0) return;
    if (columns > 0 && columns + 1 + length > width) {
      line(current);
      current.clear();
      columns = 0;
    }
    if (columns > 0) {
      current += ' ';
      ++columns;
    }
    for (const Run& piece : word) current += painted(piece, style_);
    columns += length;
    word.clear();
  };
  for (const Run& run : runs_) {
    std::string_view rest = run.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(" \n"), rest.size());
      if (end > 0) word.push_back({std::string(rest.substr(0, end)), run.codes, run.link});
      if (end == rest.size()) break;
      place();
      if (rest[end] == '\n') {
        line(current);
        current.clear();
        columns = 0;
      }
      rest.remove_prefix(end + 1);
    }
  }
  place();
  if (columns > 0) line(current);
  runs_.clear();
}

void Writer::end_code() {
  std::string all;
  for (const Run& run : runs_) all += run.text;
  runs_.clear();
  for (std::size_t from = 0; from < all.size();) {
    const std::size_t end = std::min(all.find('\n', from), all.size());
    line(code_->line(std::string_view(all).substr(from, end - from)));
    from = end + 1;
  }
  code_.reset();
}

/// Aligns the columns of a table; the first row is its head.
void Writer::end_table() {
  std::vector<std::size_t> widths;
  const auto width_of = [](const std::vector<Run>& cell) {
    std::size_t width = 0;
    for (const Run& run : cell) width += utf8_length(run.text);
    return width;
  };
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (std::size_t number = 0; number < rows_.size(); ++number) {
    std::string content;
    const auto& row = rows_[number];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) content += " │ ";
      for (const Run& run : row[i]) content += painted(run, style_);
      if (i + 1 < row.size()) content.append(widths[i] - width_of(row[i]), ' ');
    }
    line(content);
    if (number > 0) continue;
    std::string rule;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i > 0) rule += "─┼─";
      for (std::size_t column = 0; column < widths[i]; ++column) rule += "─";
    }
    line(rule);
  }
  rows_.clear();
}

void Writer::enter(MD_BLOCKTYPE type, void* detail) {
  const bool is_list = type == MD_BLOCK_UL || type == MD_BLOCK_OL;
  if (!runs_.empty() && rows_.empty()) end_prose();  // of a tight item
  const bool holds_blocks = type == MD_BLOCK_DOC || (is_list && !lists_.empty());
  const bool is_in_table = type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY ||
                           type == MD_BLOCK_TR || type == MD_BLOCK_TH || type == MD_BLOCK_TD;
  if (needs_blank_ && !holds_blocks && !is_in_table) {
    line("");
    needs_blank_ = false;
  }
  switch (type) {
    case MD_BLOCK_QUOTE:
      margins_.push_back({"│ ", "│ "});
      break;
    case MD_BLOCK_UL:
      lists_.push_back({false, 0});
      break;
    case MD_BLOCK_OL:
      lists_.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
      break;
    case MD_BLOCK_LI: {
      const auto* const item = static_cast<MD_BLOCK_LI_DETAIL*>(detail);
      List& list = lists_.back();
      std::string mark = list.is_ordered ? std::to_string(list.next++) + ". " : "• ";
      if (item->is_task != 0) mark += item->task_mark == ' ' ? "[ ] " : "[x] ";
      margins_.push_back({mark, std::string(utf8_length(mark), ' ')});
      break;
    }
    case MD_BLOCK_H:
      styles_.emplace_back(kBold);
      break;
    case MD_BLOCK_CODE: {
      const MD_ATTRIBUTE& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info;
      code_.emplace(std::string_view(info.text, info.size), style_.colour);
      break;
    }
    case MD_BLOCK_HR:
      line("───");
      break;
    case MD_BLOCK_TR:
      rows_.emplace_back();
      break;
    case MD_BLOCK_TH:
      styles_.emplace_back(kBold);
      [[fallthrough]];
    case MD_BLOCK_TD:
      rows_.back().emplace_back();
      break;
    default:
      break;
  }
}

void Writer::leave(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_P:
    case MD_BLOCK_HTML:
      end_prose();
      needs_blank_ = true;
      break;
    case MD_BLOCK_H:
      styles_.pop_back();
      end_prose();
      break;
    case MD_BLOCK_CODE:
      end_code();
      needs_blank_ = true;
      break;
    case MD_BLOCK_LI:
      end_prose();  // of a tight list
      margins_.pop_back();
      break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
      lists_.pop_back();
      needs_blank_ = lists_.empty();
      break;
    case MD_BLOCK_QUOTE:
      margins_.pop_back();
      needs_blank_ = true;
      break;
    case MD_BLOCK_TH:
      styles_.pop_back();
      break;
    case MD_BLOCK_TABLE:
      end_table();
      needs_blank_ = true;
      break;
    default:
      break;
  }
}

void Writer::enter_span(MD_SPANTYPE type, void* detail) {
  switch (type) {
    case MD_SPAN_EM:
      styles_.emplace_back(kItalic);
      break;
    case MD_SPAN_STRONG:
      styles_.emplace_back(kBold);
      break;
    case MD_SPAN_DEL:
      styles_.emplace_back(kStruck);
      break;
    case MD_SPAN_CODE:
      styles_.emplace_back(kCode);
      break;
    case MD_SPAN_A: {
      const MD_ATTRIBUTE& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
      links_.push_back(web_link({href.text, href.size}));
      styles_.emplace_back(kUnderlined);
      break;
    }
    default:
      break;
  }
}

void Writer::leave_span(MD_SPANTYPE type) {
  const bool has_style = type == MD_SPAN_EM || type == MD_SPAN_STRONG || type == MD_SPAN_DEL ||
                         type == MD_SPAN_CODE || type == MD_SPAN_A;
  if (has_style) styles_.pop_back();
  if (type != MD_SPAN_A) return;
  const std::string link = links_.back();
  links_.pop_back();
  std::vector<Run>& runs = rows_.empty() ? runs_ : rows_.back().back();
  const bool says_it = !runs.empty() && (runs.back().text == link || style_.colour);
  if (!link.empty() && !says_it) add(" (" + link + ")");
}

void Writer::text(MD_TEXTTYPE type, std::string_view text) {
  switch (type) {
    case MD_TEXT_BR:
      return add("\n");
    case MD_TEXT_SOFTBR:
      return add(" ");
    case MD_TEXT_NULLCHAR:
      return add("\xEF\xBF\xBD");
    default:
      return add(code_ ? std::string(text) : printable(text));
  }
}

}  // namespace

std::string markdown_text(std::string_view markdown, const MarkdownStyle& style) {
  Writer writer(style);
  MD_PARSER parser{};
  parser.flags = MD_DIALECT_GITHUB | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* to) {
    static_cast<Writer*>(to)->enter(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* to) {
    static_cast<Writer*>(to)->leave(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* to) {
    static_cast<Writer*>(to)->enter_span(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* to) {
    static_cast<Writer*>(to)->leave_span(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* to) {
    static_cast<Writer*>(to)->text(type, {text, size});
    return 0;
  };
  const std::string whole = to_utf8(markdown);
  // It fails only without memory, which throws first.
  static_cast<void>(md_parse(whole.data(), static_cast<MD_SIZE>(whole.size()), &parser, &writer));
  return writer.take();
}

}  // namespace quarry::cli
