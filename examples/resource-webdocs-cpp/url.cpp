#include "url.h"

#include <quarry/percent.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace webdocs {
namespace {

constexpr std::size_t kMostUrl = 2000;
constexpr std::size_t kMostName = 200;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return out;
}

/// Percent-encodes bytes beyond ASCII; nullopt for bytes that no URL has.
std::optional<std::string> clean(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    } else if (byte <= ' ' || byte == 0x7F || std::string_view("\"\\<>").find(c) != text.npos) {
      return std::nullopt;
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> out;
  while (true) {
    const auto end = path.find('/');
    out.push_back(path.substr(0, end));
    if (end == path.npos) return out;
    path.remove_prefix(end + 1);
  }
}

/// The number of dots that `segment` consists of, plain or encoded; 0 for any other segment.
std::size_t dots(std::string_view segment) {
  std::size_t count = 0;
  while (!segment.empty()) {
    const std::size_t size = segment[0] == '.' ? 1 : lower(segment.substr(0, 3)) == "%2e" ? 3 : 0;
    if (size == 0) return 0;
    segment.remove_prefix(size);
    ++count;
  }
  return count;
}

/// RFC 3986, section 5.2.4.
std::string without_dots(std::string_view path) {
  const auto segments = split(path.substr(1));
  std::vector<std::string_view> kept;
  for (const auto segment : segments) {
    const std::size_t count = dots(segment);
    if (count == 2 && !kept.empty()) kept.pop_back();
    if (count != 1 && count != 2) kept.push_back(segment);
  }
  const std::size_t last = dots(segments.back());
  if (last == 1 || last == 2) kept.emplace_back();
  std::string out;
  for (const auto segment : kept) out += "/" + std::string(segment);
  return out.empty() ? "/" : out;
}

/// "host" or "host:port" in lower case, without the scheme's own port; nullopt for another form.
std::optional<std::string> authority(std::string_view text, std::string_view default_port) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
  std::string out = lower(text);
  if (out.ends_with(default_port)) out.resize(out.size() - default_port.size());
  if (out.empty() || out.front() == ':' || out.find_first_not_of(kAllowed) != out.npos) {
    return std::nullopt;
  }
  return out;
}

/// One part of a file name: every byte but plain ones is encoded, so it is neither hidden nor "..".
std::string plain(std::string_view segment) {
  const std::string bytes = quarry::from_percent_encoded(segment).value_or(std::string(segment));
  const std::string out = quarry::to_percent_encoded(bytes, "@+,");
  return out.starts_with('.') ? "%2E" + out.substr(1) : out;
}

bool is_text_name(std::string_view name) {
  return name.ends_with(".md") || name.ends_with(".txt") || name.ends_with(".markdown");
}

std::string last_part(std::string_view segment, std::string_view query) {
  std::string out = segment.empty() ? "index" : plain(segment);
  for (const std::string_view ending : {".html", ".htm"}) {
    if (out.size() > ending.size() && out.ends_with(ending)) out.resize(out.size() - ending.size());
  }
  out += quarry::to_percent_encoded(query);
  return is_text_name(out) ? out : out + ".md";
}

std::string name_of(const Url& url) {
  const auto segments = split(std::string_view(url.path).substr(1));
  std::string out;
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    if (!segments[i].empty()) out += plain(segments[i]) + "/";
  }
  out += last_part(segments.back(), url.query);
  if (out.size() <= kMostName) return out;
  return out.substr(0, kMostName - 20) + "-" + digest(url.text()) + ".md";
}

}  // namespace

std::string Url::host() const {
  const std::string out = origin.substr(origin.find("//") + 2);
  return out.starts_with('[') ? out.substr(0, out.find(']') + 1) : out.substr(0, out.find(':'));
}

std::optional<Url> parse_url(std::string_view text) {
  const auto whole = clean(text.substr(0, text.find('#')));
  const std::string start = lower(text.substr(0, 8));
  const bool secure = start == "https://";
  if (!whole || whole->size() > kMostUrl || (!secure && !start.starts_with("http://")))
    return std::nullopt;
  const std::size_t begin = secure ? 8 : 7;
  const std::size_t end = std::min(whole->find_first_of("/?", begin), whole->size());
  const auto host =
      authority(std::string_view(*whole).substr(begin, end - begin), secure ? ":443" : ":80");
  if (!host) return std::nullopt;
  const std::size_t query = std::min(whole->find('?', end), whole->size());
  std::string path = whole->substr(end, query - end);
  if (path.empty()) path = "/";
  return Url{start.substr(0, begin) + *host, without_dots(path), whole->substr(query)};
}

std::optional<Url> resolve_reference(const Url& base, std::string_view reference) {
  reference = reference.substr(0, reference.find('#'));
  const auto colon = reference.find(':');
  if (colon < reference.find_first_of("/?")) return parse_url(reference);
  if (reference.empty()) return base;
  const std::string text(reference);
  if (text.starts_with("//"))
    return parse_url(base.origin.substr(0, base.origin.find(':') + 1) + text);
  if (text.front() == '/') return parse_url(base.origin + text);
  if (text.front() == '?') return parse_url(base.origin + base.path + text);
  return parse_url(base.origin + base.path.substr(0, base.path.rfind('/') + 1) + text);
}

std::vector<Page> name_pages(const std::vector<Url>& urls) {
  std::map<std::string, int> uses;
  for (const Url& url : urls) ++uses[name_of(url)];
  std::set<std::string> taken;
  std::vector<Page> pages;
  for (const Url& url : urls) {
    std::string name = name_of(url);
    if (uses[name] > 1) name.insert(name.rfind('.'), "-" + digest(url.text()));
    if (taken.insert(name).second) pages.push_back({url, name});
  }
  return pages;
}

std::string digest(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(value >> shift) & 15U];
  return out;
}

}  // namespace webdocs
