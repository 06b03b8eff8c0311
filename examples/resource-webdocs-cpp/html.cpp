#include "html.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace webdocs {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}
void append_utf8(std::uint32_t code, std::string& out) {
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0U | (code >> 18U));
    tail(12), tail(6), tail(0);
  }
}

/// The number of "#65" or "#x41"; nullopt when it is none.
std::optional<std::uint32_t> number_of(std::string_view name) {
  const bool hex = name.size() > 1 && lower(name[1]) == 'x';
  const std::uint32_t base = hex ? 16 : 10;
  const std::string_view digits = name.substr(std::min<std::size_t>(hex ? 2 : 1, name.size()));
  std::uint32_t code = 0;
  for (const char c : digits) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(lower(c));
    if (digit >= base) return std::nullopt;
    code = std::min<std::uint32_t>(code * base + static_cast<std::uint32_t>(digit), 0x110000);
  }
  return digits.empty() ? std::nullopt : std::optional(code);
}

std::optional<std::uint32_t> code_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 20> kNames{
      {{"amp", '&'},       {"lt", '<'},       {"gt", '>'},       {"quot", '"'},
       {"apos", '\''},     {"nbsp", ' '},     {"ndash", 0x2013}, {"mdash", 0x2014},
       {"lsquo", 0x2018},  {"rsquo", 0x2019}, {"ldquo", 0x201C}, {"rdquo", 0x201D},
       {"hellip", 0x2026}, {"bull", 0x2022},  {"middot", 0xB7},  {"copy", 0xA9},
       {"reg", 0xAE},      {"rarr", 0x2192},  {"times", 0xD7},   {"para", 0xB6}}};
  if (name.starts_with('#')) return number_of(name);
  const auto* const found = std::find_if(kNames.begin(), kNames.end(),
                                         [&](const auto& one) { return one.first == name; });
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool is_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}
bool is_space(char c) {
  return kSpace.find(c) != kSpace.npos;
}

std::size_t find_any_case(std::string_view text, std::string_view wanted, std::size_t from) {
  const auto found = std::search(
      text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size())), text.end(),
      wanted.begin(), wanted.end(), [](char here, char there) { return lower(here) == there; });
  return found == text.end() ? text.npos : static_cast<std::size_t>(found - text.begin());
}

std::optional<Tag> read_tag(std::string_view html, std::size_t& at) {
  std::size_t i = at + 1;
  const bool closing = i < html.size() && html[i] == '/';
  if (closing) ++i;
  if (i >= html.size() || !is_letter(html[i])) return std::nullopt;
  Tag tag{{}, closing, {}};
  while (i < html.size() && html[i] != '>' && html[i] != '/' && !is_space(html[i])) {
    tag.name += lower(html[i++]);
  }
  const std::size_t begin = i;
  char quote = 0;
  for (; i < html.size() && (quote != 0 || html[i] != '>'); ++i) {
    if (quote == 0 && (html[i] == '"' || html[i] == '\'') && html[i - 1] == '=') {
      quote = html[i];
    } else if (html[i] == quote) {
      quote = 0;
    }
  }
  tag.attributes = html.substr(begin, i - begin);
  at = std::min(i + 1, html.size());
  return tag;
}

std::string attribute(const Tag& tag, std::string_view name) {
  std::string_view all = tag.attributes;
  while (!all.empty()) {
    all.remove_prefix(std::min(all.find_first_not_of(" \t\r\n\f/"), all.size()));
    const std::string_view key = all.substr(0, all.find_first_of("= \t\r\n\f"));
    all.remove_prefix(key.size());
    if (!all.starts_with('=')) {
      if (key.empty()) return {};
      continue;
    }
    all.remove_prefix(1);
    const bool quoted = all.starts_with('"') || all.starts_with('\'');
    const std::string_view end = quoted ? all.substr(0, 1) : kSpace;
    if (quoted) all.remove_prefix(1);
    const std::string_view value = all.substr(0, all.find_first_of(end));
    all.remove_prefix(std::min(value.size() + (quoted ? 1 : 0), all.size()));
    if (find_any_case(key, name, 0) == 0 && key.size() == name.size()) {
      return decode_entities(value);
    }
  }
  return {};
}

std::optional<std::string_view> element(std::string_view html, const std::string& name) {
  std::size_t at = find_any_case(html, "<" + name, 0);
  if (at == html.npos) return std::nullopt;
  const auto tag = read_tag(html, at);
  if (!tag || tag->name != name) return std::nullopt;
  const std::size_t end = std::min(find_any_case(html, "</" + name, at), html.size());
  return html.substr(at, end - at);
}

std::string decode_entities(std::string_view text) {
  constexpr std::size_t kMost = 16;  // of a name
  std::string out;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('&'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    const std::size_t end = text.substr(0, kMost + 2).find(';');
    const auto code = end == text.npos ? std::nullopt : code_of(text.substr(1, end - 1));
    if (code) append_utf8(*code, out);
    if (!code) out += text.substr(0, 1);
    text.remove_prefix(code ? end + 1 : std::min<std::size_t>(1, text.size()));
  }
  return out;
}

}  // namespace webdocs
