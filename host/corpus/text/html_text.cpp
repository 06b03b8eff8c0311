#include "corpus/text/html_text.h"

#include "base/text.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

constexpr std::size_t kLongestEntity = 10;

/// Length of `html` up to and including `mark`; all of it if `mark` is missing.
std::size_t through(std::string_view html, std::string_view mark, std::size_t from = 0) {
  const std::size_t at = html.find(mark, from);
  return at == html.npos ? html.size() : at + mark.size();
}

/// Length of the element `name` at the start of `html`.
std::size_t element_length(std::string_view html, std::string_view name) {
  std::size_t at = html.find("</");
  while (at != html.npos && to_lower(html.substr(at + 2, name.size())) != name) {
    at = html.find("</", at + 1);
  }
  return at == html.npos ? html.size() : through(html, ">", at);
}

/// Length of the markup at the start of `html`, which begins with '<'.
std::size_t markup_length(std::string_view html) {
  if (html.starts_with("<!--")) return through(html, "-->");
  const std::string name = to_lower(html.substr(1, 6));
  for (const std::string_view hidden : {"script", "style"}) {
    if (name.starts_with(hidden)) return element_length(html, hidden);
  }
  // Otherwise a "<" that should have been escaped.
  const bool is_tag = !name.empty() && (std::string_view("/!?").contains(name.front()) ||
                                        (name.front() >= 'a' && name.front() <= 'z'));
  return is_tag ? through(html, ">") : 1;
}

/// Length of the entity at the start of `html`; 1 if it is only an ampersand.
std::size_t entity_length(std::string_view html) {
  const std::string_view rest = html.substr(0, kLongestEntity);
  const std::size_t end = rest.find_first_of("; \t\n<&", 1);
  return end != rest.npos && rest[end] == ';' ? end + 1 : 1;
}

}  // namespace

std::string_view HtmlScanner::next() {
  while (!rest_.empty()) {
    const std::size_t plain = std::min(rest_.find_first_of("<&"), rest_.size());
    const std::string_view run = rest_.substr(0, plain);
    rest_.remove_prefix(plain);
    if (!run.empty()) return run;
    rest_.remove_prefix(rest_.front() == '<' ? markup_length(rest_) : entity_length(rest_));
  }
  return {};
}

std::string html_text(std::string_view html) {
  std::string out;
  HtmlScanner scanner(html);
  for (std::string_view run; !(run = scanner.next()).empty();) {
    if (!out.empty()) out += ' ';
    out += run;
  }
  return out;
}

}  // namespace quarry::corpus
