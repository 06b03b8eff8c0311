#include "resource-pypi/html.h"

#include "package_source/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace quarry::resource_pypi {
namespace {

using package_source::is_space;
using package_source::lower;

void put_utf8(std::uint32_t code, std::string& out) {
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<unsigned, 4> kLead{0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[static_cast<std::size_t>(more)] | (code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) {
    out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
  }
}

/// Decodes the reference between '&' and ';'; false when it is not known.
bool put_reference(std::string_view name, std::string& out) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [known, meant] : kNamed) {
    if (name != known) continue;
    out += meant;
    return true;
  }
  if (name.size() < 2 || name.front() != '#') return false;
  const bool hex = name[1] == 'x' || name[1] == 'X';
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto read =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
  if (digits.empty() || read.ptr != digits.data() + digits.size()) return false;
  put_utf8(read.ec == std::errc() ? code : 0, out);
  return true;
}

std::string decoded(std::string_view text) {
  constexpr std::size_t kLongest = 12;  // of a reference
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.substr(0, kLongest).find(';');
    if (text.front() == '&' && end != std::string_view::npos &&
        put_reference(text.substr(1, end - 1), out)) {
      text.remove_prefix(end + 1);
      continue;
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

class Scanner {
 public:
  explicit Scanner(std::string_view html) : rest_(html) {}

  /// Moves to the next start tag of interest.
  bool next(Tag& tag) {
    while (skip_to_tag()) {
      tag.name = lower(name());
      if (tag.name == "script" || tag.name == "style") {
        skip_past("</" + tag.name);
        continue;
      }
      tag.attributes.clear();
      read_attributes(tag);
      if (tag.name == "a" || tag.name == "base" || tag.name == "form" || tag.name == "meta")
        return true;
    }
    return false;
  }

 private:
  bool skip_to_tag() {
    while (true) {
      const std::size_t at = rest_.find('<');
      if (at == std::string_view::npos) return false;
      rest_.remove_prefix(at + 1);
      if (rest_.starts_with("!--")) {
        skip_past("-->");
      } else if (!rest_.empty() && ((rest_[0] | 0x20) >= 'a' && (rest_[0] | 0x20) <= 'z')) {
        return true;
      }
    }
  }
  void skip_past(std::string_view end) {
    const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    const auto at = std::search(rest_.begin(), rest_.end(), end.begin(), end.end(), same);
    const auto before = static_cast<std::size_t>(at - rest_.begin());
    rest_.remove_prefix(at == rest_.end() ? rest_.size() : before + end.size());
  }
  void skip_space() {
    while (!rest_.empty() && (is_space(rest_.front()) || rest_.front() == '/')) {
      rest_.remove_prefix(1);
    }
  }
  std::string_view name() {
    std::size_t size = 0;
    while (size < rest_.size() && !is_space(rest_[size]) && rest_[size] != '/' &&
           rest_[size] != '>' && (rest_[size] != '=' || size == 0)) {
      ++size;
    }
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  std::string_view value() {
    rest_.remove_prefix(1);  // the '='
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty()) return {};
    const char quote = rest_.front();
    const bool quoted = quote == '"' || quote == '\'';
    if (quoted) rest_.remove_prefix(1);
    std::size_t size = 0;
    while (size < rest_.size() &&
           (quoted ? rest_[size] != quote : !is_space(rest_[size]) && rest_[size] != '>')) {
      ++size;
    }
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(std::min(size + (quoted ? 1 : 0), rest_.size()));
    return out;
  }
  void read_attributes(Tag& tag) {
    constexpr std::size_t kMost = 64;
    for (skip_space(); !rest_.empty() && rest_.front() != '>'; skip_space()) {
      std::string key = lower(name());
      while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
      const bool has_value = !rest_.empty() && rest_.front() == '=';
      std::string text = has_value ? decoded(value()) : "";
      if (tag.attributes.size() < kMost) tag.attributes.emplace(std::move(key), std::move(text));
    }
  }

  std::string_view rest_;
};

}  // namespace

void each_tag(std::string_view html, const std::function<void(const Tag&)>& found) {
  Scanner scanner(html);
  Tag tag;
  while (scanner.next(tag)) found(tag);
}

}  // namespace quarry::resource_pypi
