#include "markdown.h"

#include "html.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace webdocs {
namespace {

constexpr std::size_t kMostDepth = 8;                    ///< of lists, for the indentation
constexpr std::size_t kMostText = std::size_t{8} << 20;  ///< targets of links become longer

std::string collapsed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 5> kDropped{"nav", "footer", "template", "noscript", "svg"};
constexpr std::array<std::string_view, 17> kBlocks{
    "p",  "div", "section", "article", "header",     "aside",   "main", "table", "blockquote",
    "dl", "dt",  "figure",  "hr",      "figcaption", "details", "ul",   "ol"};

/// Writes Markdown: breaks, spaces and markers are written before the next text, if there is any.
class Writer {
 public:
  /// Ends the line, unless a block has begun without text; `lines` is 2 for an empty line.
  void end_line(int lines) { breaks_ = marker_.empty() ? std::max(breaks_, lines) : breaks_; }
  /// Begins the next block: "# " of a heading, "- " of an item.
  void mark(std::string_view marker) { marker_ += marker; }
  void forget_marker() { marker_.clear(); }
  /// Encloses the text between open and close, if there is any: "[" of a link, "`" of code.
  void open(std::string_view mark) { opening_ += mark; }
  void close(std::string_view mark, std::string_view closing) {
    if (opening_.ends_with(mark)) {
      opening_.resize(opening_.size() - mark.size());
    } else {
      out_ += closing;
    }
  }
  void indent(std::size_t columns) { indentation_ = columns; }

  /// Text whose white space is collapsed.
  void text(std::string_view text) {
    for (const char c : text) {
      if (is_space(c)) {
        space_ = true;
      } else {
        flush();
        out_ += c;
      }
    }
  }
  /// Lines as they are.
  void code(std::string_view code, const std::string& language) {
    std::size_t most = 0;
    for (std::size_t i = 0, run = 0; i < code.size(); ++i) {
      run = code[i] == '`' ? run + 1 : 0;
      most = std::max(most, run);
    }
    const std::string fence(std::max<std::size_t>(3, most + 1), '`');
    line(fence + language);
    while (!code.empty()) {
      const std::string_view next = code.substr(0, code.find('\n'));
      line(next);
      code.remove_prefix(std::min(next.size() + 1, code.size()));
    }
    line(fence);
    end_line(2);
  }
  [[nodiscard]] std::size_t size() const { return out_.size(); }
  [[nodiscard]] std::string take() {
    if (!out_.empty()) out_ += '\n';
    return std::move(out_);
  }

 private:
  void flush() {
    if (breaks_ > 0) {
      if (!out_.empty()) out_.append(static_cast<std::size_t>(breaks_), '\n');
      const std::size_t own = marker_.starts_with("- ") || marker_.starts_with("1. ") ? 2 : 0;
      out_.append(indentation_ < own ? 0 : indentation_ - own, ' ');
    } else if (space_ && !out_.empty()) {
      out_ += ' ';
    }
    out_ += std::exchange(marker_, {}) + std::exchange(opening_, {});
    breaks_ = 0;
    space_ = false;
  }
  void line(std::string_view text) {
    end_line(1);
    flush();
    out_ += text;
  }

  std::string out_;
  std::string marker_;
  std::string opening_;
  std::size_t indentation_ = 0;
  int breaks_ = 1;
  bool space_ = false;
};

class Converter {
 public:
  Converter(std::string_view html, const Url& page) : html_(html), page_(page) {}

  std::string run() {
    while (at_ < html_.size() && writer_.size() < kMostText) {
      const std::size_t end = std::min(html_.find('<', at_), html_.size());
      take_text(html_.substr(at_, end - at_));
      at_ = end;
      if (at_ < html_.size()) take_markup();
    }
    end_code();
    end_link();
    return writer_.take();
  }

 private:
  void take_text(std::string_view raw) {
    if (dropped_ > 0 || raw.empty()) return;
    const std::string text = decode_entities(raw);
    if (in_code_) {
      code_ += text;
    } else {
      writer_.text(text);
    }
  }

  void take_markup() {
    if (html_.substr(at_).starts_with("<!--")) return skip_to("-->");
    if (html_.substr(at_).starts_with("<!") || html_.substr(at_).starts_with("<?")) {
      return skip_to(">");
    }
    const auto tag = read_tag(html_, at_);
    if (!tag) {
      take_text("<");
      ++at_;
    } else if (is_one_of(tag->name, kDropped)) {
      if (!tag->empty_element()) dropped_ = std::max(0, dropped_ + (tag->closing ? -1 : 1));
    } else if (!tag->closing &&
               (tag->name == "script" || tag->name == "style" || tag->name == "title")) {
      at_ = std::min(find_any_case(html_, "</" + tag->name, at_), html_.size());
    } else if (dropped_ == 0) {
      tag->closing ? end(*tag) : begin(*tag);
    }
  }
  void skip_to(std::string_view end) {
    const std::size_t found = html_.find(end, at_ + 2);
    at_ = found == html_.npos ? html_.size() : found + end.size();
  }

  void begin(const Tag& tag) {
    if (tag.name == "pre") return begin_code();
    if (in_code_) return in_code(tag);
    if (tag.name == "br" || tag.name == "tr" || tag.name == "dd") writer_.end_line(1);
    if (is_one_of(tag.name, kBlocks)) writer_.end_line(2);
    if (tag.name == "ul" || tag.name == "ol") begin_list(tag.name == "ol");
    if (tag.name == "li") begin_item();
    if (tag.name == "a") begin_link(attribute(tag, "href"));
    if (tag.name == "img") writer_.text(attribute(tag, "alt"));
    if (tag.name == "code" && !std::exchange(inline_code_, true)) writer_.open("`");
    if (tag.name == "td" || tag.name == "th") begin_cell();
    if (tag.name == "tr") first_cell_ = true;
    if (level_of(tag) > 0) {
      writer_.end_line(2);
      writer_.mark(std::string(level_of(tag), '#') + " ");
    }
  }

  void end(const Tag& tag) {
    if (tag.name == "pre") return end_code();
    if (in_code_) return;
    if (tag.name == "ul" || tag.name == "ol") end_list();
    if (tag.name == "a") end_link();
    if (tag.name == "code" && std::exchange(inline_code_, false)) writer_.close("`", "`");
    const bool block = is_one_of(tag.name, kBlocks) || level_of(tag) > 0;
    if (!block && tag.name != "li" && tag.name != "tr") return;
    if (tag.name != "p") writer_.forget_marker();
    writer_.end_line(block ? 2 : 1);
  }

  static std::size_t level_of(const Tag& tag) {
    const bool heading =
        tag.name.size() == 2 && tag.name[0] == 'h' && tag.name[1] >= '1' && tag.name[1] <= '6';
    return heading ? static_cast<std::size_t>(tag.name[1] - '0') : 0;
  }

  void begin_list(bool ordered) {
    lists_.push_back(ordered);
    indent();
  }
  void end_list() {
    if (!lists_.empty()) lists_.pop_back();
    indent();
  }
  void begin_item() {
    writer_.end_line(1);
    writer_.forget_marker();
    writer_.mark(!lists_.empty() && lists_.back() ? "1. " : "- ");
  }
  void indent() { writer_.indent(2 * std::min(lists_.size(), kMostDepth)); }

  void begin_cell() {
    if (!std::exchange(first_cell_, false)) writer_.text(" | ");
  }

  void begin_link(const std::string& href) {
    end_link();
    const auto target =
        href.empty() || href.starts_with('#') ? std::nullopt : resolve_reference(page_, href);
    if (!target) return;
    link_ = target->text();
    writer_.open("[");
  }
  void end_link() {
    if (!link_.empty()) writer_.close("[", "](" + std::exchange(link_, {}) + ")");
  }

  void begin_code() {
    end_link();
    in_code_ = true;
    language_.clear();
  }
  /// The language is in the class of the element code: class="language-sh".
  void in_code(const Tag& tag) {
    if (tag.name == "br") code_ += '\n';
    const std::string words = attribute(tag, "class") + " ";
    const std::size_t found = words.find("language-");
    if (tag.name != "code" || found == words.npos) return;
    language_ = words.substr(found + 9, words.find(' ', found) - found - 9);
    if (!std::all_of(language_.begin(), language_.end(), is_letter)) language_.clear();
  }
  void end_code() {
    if (!std::exchange(in_code_, false)) return;
    const std::size_t last = code_.find_last_not_of(kSpace);
    code_.resize(last == code_.npos ? 0 : last + 1);
    if (code_.starts_with('\n')) code_.erase(0, 1);
    writer_.end_line(2);
    if (!code_.empty()) writer_.code(code_, language_);
    code_.clear();
  }

  const std::string_view html_;
  const Url& page_;
  std::size_t at_ = 0;
  Writer writer_;
  int dropped_ = 0;          ///< open elements whose content is dropped
  std::vector<bool> lists_;  ///< open lists: true for an ordered one
  bool first_cell_ = true;
  std::string link_;  ///< target of the open link, empty when there is none
  bool inline_code_ = false;
  bool in_code_ = false;
  std::string code_;
  std::string language_;
};

}  // namespace

Markdown to_markdown(std::string_view html, const Url& page) {
  const std::string title = collapsed(decode_entities(element(html, "title").value_or("")));
  return {title, Converter(element(html, "main").value_or(html), page).run()};
}

}  // namespace webdocs
