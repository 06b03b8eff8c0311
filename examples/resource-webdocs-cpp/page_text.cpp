#include "page_text.h"

#include "markdown.h"

#include <algorithm>

namespace webdocs {
namespace {

constexpr std::size_t kMostTitle = 300;

/// The media type without parameters, in lower case.
std::string media_type_of(const quarry::HttpResponse& response) {
  std::string out(quarry::header(response.headers, "content-type"));
  out.resize(std::min(out.find_first_of("; \t"), out.size()));
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return out;
}

/// The text of the first heading of level 1.
std::string heading_of(std::string_view markdown) {
  while (!markdown.empty()) {
    const std::string_view line = markdown.substr(0, markdown.find('\n'));
    if (line.starts_with("# ")) return std::string(line.substr(2, line.find('\r') - 2));
    markdown.remove_prefix(std::min(line.size() + 1, markdown.size()));
  }
  return {};
}

std::string shortened(std::string title) {
  if (title.size() <= kMostTitle) return title;
  std::size_t end = kMostTitle;
  while (end > 0 && (static_cast<unsigned char>(title[end]) & 0xC0U) == 0x80) --end;
  title.resize(end);
  return title;
}

bool is_tag(std::string_view validator) {
  return validator.starts_with('"') || validator.starts_with("W/\"");
}

/// True for printable ASCII of at most 200 bytes, which can be sent back.
bool is_plain(std::string_view value) {
  return value.size() <= 200 && std::all_of(value.begin(), value.end(), [](char c) {
           return static_cast<unsigned char>(c) >= ' ' && static_cast<unsigned char>(c) < 0x7F;
         });
}

}  // namespace

bool is_html(const quarry::HttpResponse& response) {
  const std::string type = media_type_of(response);
  if (!type.empty()) return type == "text/html" || type == "application/xhtml+xml";
  const std::size_t first = response.body.find_first_not_of(" \t\r\n");
  return first != std::string::npos && response.body[first] == '<';
}

std::optional<PageText> text_of(const quarry::HttpResponse& response, const Url& page) {
  if (is_html(response)) {
    const Markdown converted = to_markdown(response.body, page);
    const std::string title =
        converted.title.empty() ? heading_of(converted.text) : converted.title;
    return PageText{converted.text, shortened(title), "text/markdown"};
  }
  const std::string type = media_type_of(response);
  if (type == "text/plain" && !page.path.ends_with(".md")) {
    return PageText{response.body, {}, "text/plain"};
  }
  if (type != "text/markdown" && type != "text/x-markdown" && type != "text/plain" &&
      !type.empty()) {
    return std::nullopt;
  }
  return PageText{response.body, shortened(heading_of(response.body)), "text/markdown"};
}

std::string validator_of(const quarry::HttpResponse& response) {
  const std::string_view tag = quarry::header(response.headers, "etag");
  const std::string_view time = quarry::header(response.headers, "last-modified");
  if (is_tag(tag) && is_plain(tag)) return std::string(tag);
  return std::string(!is_tag(time) && is_plain(time) ? time : "");
}

quarry::HttpHeader condition_of(const std::string& validator) {
  return {is_tag(validator) ? "if-none-match" : "if-modified-since", validator, {}};
}

}  // namespace webdocs
