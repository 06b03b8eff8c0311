#include "corpus/html_text.h"

#include "base/text.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

constexpr std::size_t kLongestEntity = 10;

/// How much of `html`, which begins with '<', is no text.
std::size_t markup_length(std::string_view html) {
  const auto through = [&](std::string_view end) {
    const std::size_t at = html.find(end);
    return at == html.npos ? html.size() : at + end.size();
  };
  if (html.starts_with("<!--")) return through("-->");
  const std::string name = to_lower(html.substr(1, 6));
  if (name.starts_with("script")) return through("</script>");
  if (name.starts_with("style")) return through("</style>");
  // A lone "<", as careless authors write it.
  const bool is_tag = html.size() > 1 && !std::string_view(" =<\n\t").contains(html[1]);
  return is_tag ? through(">") : 1;
}

/// How long the entity at the start of `html` is; 1 when it is only an ampersand.
std::size_t entity_length(std::string_view html) {
  const std::string_view rest = html.substr(0, kLongestEntity);
  const std::size_t end = rest.find_first_of("; \t\n<&", 1);
  return end != rest.npos && rest[end] == ';' ? end + 1 : 1;
}

}  // namespace

std::string html_text(std::string_view html) {
  std::string out;
  while (!html.empty()) {
    const std::size_t plain = std::min(html.find_first_of("<&"), html.size());
    out += html.substr(0, plain);
    html.remove_prefix(plain);
    if (html.empty()) break;
    out += ' ';
    html.remove_prefix(html.front() == '<' ? markup_length(html) : entity_length(html));
  }
  return out;
}

}  // namespace quarry::corpus
