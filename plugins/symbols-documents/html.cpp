#include "symbols-documents/html.h"

#include "symbols_tree_sitter/name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace quarry::symbols_documents {
namespace {

constexpr std::size_t kLongestHeading = 16'384;  // bytes, with markup
constexpr std::size_t kLongestText = 1'100;      // bytes, white space as one: more is no name

std::string utf8(std::uint32_t point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), byte(0x80 | (point & 0x3F))};
  if (point < 0x10000) {
    return {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 0x3F)),
            byte(0x80 | (point & 0x3F))};
  }
  return {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 0x3F)),
          byte(0x80 | (point >> 6 & 0x3F)), byte(0x80 | (point & 0x3F))};
}

/// "&#65;" or "&#x41;" without the marks: "#65".
std::string numbered(std::string_view name) {
  const bool hexadecimal = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
  std::uint32_t point = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), point, hexadecimal ? 16 : 10);
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  const bool valid = error == std::errc() && end == digits.data() + digits.size() && point > 0 &&
                     point < 0x110000 && !surrogate;
  return valid ? utf8(point) : std::string();
}

/// The characters of a reference "&name;", empty for one that is not known here.
std::string referenced(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames = {
      {{"amp", "&"},
       {"lt", "<"},
       {"gt", ">"},
       {"quot", "\""},
       {"apos", "'"},
       {"nbsp", " "},
       {"ndash", "–"},
       {"mdash", "—"},
       {"hellip", "…"},
       {"copy", "©"}}};
  if (name.starts_with('#')) return numbered(name);
  const auto* found = std::ranges::find(kNames, name, &decltype(kNames)::value_type::first);
  return found == kNames.end() ? std::string() : std::string(found->second);
}

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// The text without markup, with one blank for white space, or a beginning that is no name.
std::string plain_text(std::string_view html) {
  std::string out;
  for (std::size_t at = 0; at < html.size() && out.size() <= kLongestText; ++at) {
    if (html[at] == '<') {
      at = std::min(html.find('>', at), html.size());
      continue;
    }
    const auto end = html[at] == '&' ? html.substr(0, at + 12).find(';', at) : html.npos;
    const std::string characters =
        end == html.npos ? std::string() : referenced(html.substr(at + 1, end - at - 1));
    const std::string piece = characters.empty() ? std::string(1, html[at]) : characters;
    if (piece.size() > 1 || !is_blank(piece.front())) {
      out += piece;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
    if (!characters.empty()) at = end;
  }
  return out;
}

bool begins_with(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::ranges::equal(text.substr(0, lower.size()), lower, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
         });
}

class HtmlReader {
 public:
  explicit HtmlReader(std::string_view text) : text_(text) {}

  std::vector<Heading> read() {
    for (auto at = text_.find('<'); at != text_.npos; at = text_.find('<', at)) at = read_tag(at);
    return std::move(found_);
  }

 private:
  /// The offset after the tag or element that begins at `at`.
  std::size_t read_tag(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with("<!--")) return after("-->", at + 4);
    for (const std::string_view name : {"script", "style", "textarea", "title"}) {
      if (is_tag(rest, name)) return after_element(at, name);
    }
    if (rest.size() > 3 && (rest[1] == 'h' || rest[1] == 'H') && rest[2] >= '1' && rest[2] <= '6' &&
        is_end(rest[3])) {
      read_heading(at, static_cast<std::uint32_t>(rest[2] - '0'));
    }
    return at + 1;
  }

  static bool is_end(char c) { return c == '>' || c == '/' || is_blank(c); }
  static bool is_tag(std::string_view rest, std::string_view name) {
    return rest.size() > name.size() + 1 && begins_with(rest.substr(1), name) &&
           is_end(rest[name.size() + 1]);
  }

  [[nodiscard]] std::size_t after(std::string_view mark, std::size_t at) const {
    const auto end = text_.find(mark, at);
    return end == text_.npos ? text_.size() : end + mark.size();
  }
  [[nodiscard]] std::size_t after_element(std::size_t at, std::string_view name) const {
    for (at = text_.find("</", at); at != text_.npos; at = text_.find("</", at + 2)) {
      if (begins_with(text_.substr(at + 2), name)) return at + 2;
    }
    return text_.size();
  }

  void read_heading(std::size_t at, std::uint32_t level) {
    const std::string_view rest = text_.substr(at, kLongestHeading);
    const auto begin = rest.find('>');
    if (begin == rest.npos) return;
    const auto last = std::min({rest.find("</h", begin), rest.find("</H", begin), rest.size()});
    const std::string name =
        symbols_tree_sitter::one_line(plain_text(rest.substr(begin + 1, last - begin - 1)));
    line_ +=
        static_cast<std::uint32_t>(std::ranges::count(text_.substr(counted_, at - counted_), '\n'));
    counted_ = at;
    if (!name.empty()) found_.push_back({name, level, line_});
  }

  std::string_view text_;
  std::vector<Heading> found_;
  std::uint32_t line_ = 1;
  std::size_t counted_ = 0;  ///< offset of line_
};

}  // namespace

std::vector<Heading> html_headings(std::string_view text) {
  return HtmlReader(text).read();
}

}  // namespace quarry::symbols_documents
