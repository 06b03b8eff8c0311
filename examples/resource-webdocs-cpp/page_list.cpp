#include "page_list.h"

#include "html.h"

#include <algorithm>
#include <unordered_set>

namespace webdocs {
namespace {

/// The target at the start of "target "title")"; parentheses in it are balanced.
std::string target_of(std::string_view text) {
  if (text.starts_with('<')) return std::string(text.substr(1, text.find_first_of(">\n") - 1));
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == ' ' || c == '\n' || c == '\t' || (c == ')' && depth == 0)) break;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  return std::string(text.substr(0, end));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

std::string location_of(std::string_view text) {
  constexpr std::string_view kBegin = "<![CDATA[";
  text = trimmed(text);
  if (!text.starts_with(kBegin)) return decode_entities(text);
  return std::string(trimmed(text.substr(kBegin.size(), text.find("]]>") - kBegin.size())));
}

}  // namespace

std::vector<std::string> markdown_links(std::string_view text) {
  constexpr std::size_t kMost = 2000;  // bytes of a target
  std::vector<std::string> out;
  bool image = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') image = i > 0 && text[i - 1] == '!';
    if (text[i] != ']' || i + 1 == text.size() || text[i + 1] != '(') continue;
    if (!image) out.push_back(target_of(text.substr(i + 2, kMost)));
    image = false;
  }
  return out;
}

std::optional<Sitemap> parse_sitemap(std::string_view xml) {
  constexpr std::string_view kBegin = "<loc>";
  Sitemap out{xml.find("<sitemapindex") != xml.npos, {}};
  if (!out.of_sitemaps && xml.find("<urlset") == xml.npos) return std::nullopt;
  for (auto at = xml.find(kBegin); at != xml.npos; at = xml.find(kBegin, at)) {
    at += kBegin.size();
    const std::size_t end = xml.find("</loc>", at);
    if (end == xml.npos) break;
    out.locations.push_back(location_of(xml.substr(at, end - at)));
  }
  return out;
}

void PageList::add(const Url& base, const std::vector<std::string>& references, std::size_t limit) {
  add_beneath("/", base, references, limit);
}

void PageList::add_beneath(std::string_view folder, const Url& base,
                           const std::vector<std::string>& references, std::size_t limit) {
  std::unordered_set<std::string> known;
  for (const Url& page : pages) known.insert(page.text());
  for (const std::string& reference : references) {
    const auto url = resolve_reference(base, reference);
    if (!url || !url->path.starts_with(folder)) continue;
    if (url->origin != base.origin) {
      ++on_other_hosts;
    } else if (known.insert(url->text()).second) {
      if (pages.size() < limit) {
        pages.push_back(*url);
      } else {
        ++beyond_limit;
      }
    }
  }
}

}  // namespace webdocs
