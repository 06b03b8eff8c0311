#include "resource-pypi/url.h"

#include "package_source/text.h"

#include <quarry/percent.hpp>

#include <algorithm>
#include <vector>

namespace quarry::resource_pypi {
namespace {

using package_source::lower;

bool is_clean(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f || c == '\\' || c == '<' || c == '>' || c == '"';
  });
}

/// Takes the text before the first of `marks`.
std::string_view cut(std::string_view& rest, std::string_view marks) {
  const std::string_view head = rest.substr(0, rest.find_first_of(marks));
  rest.remove_prefix(head.size());
  return head;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> parts;
  bool folder = true;
  while (!path.empty()) {
    path.remove_prefix(1);  // the '/'
    const std::string_view part = cut(path, "/");
    folder = part == "." || part == "..";
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!folder) parts.push_back(part);
  }
  std::string out;
  for (const std::string_view part : parts) out.append("/").append(part);
  return folder ? out + "/" : out;
}

/// The authority without the port that its scheme has anyway; nullopt when it names no host.
std::optional<std::string> authority_of(std::string_view scheme, std::string_view text) {
  std::string out = lower(text);
  const std::string own = scheme == "https" ? ":443" : ":80";
  if (out.ends_with(own)) out.resize(out.size() - own.size());
  if (out.ends_with(':')) out.pop_back();
  const std::string host = out.substr(out.find('@') == std::string::npos ? 0 : out.rfind('@') + 1);
  if (host.empty() || host.front() == ':') return std::nullopt;
  const std::size_t colon = host.find(':', host.front() == '[' ? host.find(']') : 0);
  if (colon != std::string::npos) {
    const std::string port = host.substr(colon + 1);
    const bool digits = port.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || port.size() > 5 || std::stoi(port) > 65535) return std::nullopt;
  }
  return out;
}

void read_rest(Url& url, std::string_view rest) {
  url.path = without_dots(cut(rest, "?#"));
  url.query = cut(rest, "#");
  url.fragment = rest.empty() ? "" : rest.substr(1);
}

}  // namespace

std::optional<Url> Url::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !is_clean(text)) return std::nullopt;
  Url url;
  url.scheme = lower(text.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https") return std::nullopt;
  std::string_view rest = text.substr(colon + 1);
  if (!rest.starts_with("//")) return std::nullopt;
  rest.remove_prefix(2);
  auto authority = authority_of(url.scheme, cut(rest, "/?#"));
  if (!authority) return std::nullopt;
  url.authority = std::move(*authority);
  read_rest(url, rest);
  return url;
}

std::optional<Url> Url::resolve(std::string_view reference) const {
  while (!reference.empty() && static_cast<unsigned char>(reference.front()) <= 0x20) {
    reference.remove_prefix(1);
  }
  while (!reference.empty() && static_cast<unsigned char>(reference.back()) <= 0x20) {
    reference.remove_suffix(1);
  }
  if (!is_clean(reference)) return std::nullopt;
  if (reference.starts_with("//")) return parse(scheme + ":" + std::string(reference));
  const std::size_t mark = reference.find_first_of(":/?#");
  if (mark != std::string_view::npos && reference[mark] == ':') return parse(reference);
  Url url{scheme, authority, path, query, {}};
  if (reference.empty() || reference.front() == '#') {
    url.fragment = reference.empty() ? "" : reference.substr(1);
    return url;
  }
  std::string whole(reference);
  if (reference.front() == '?') whole = path + whole;
  if (whole.front() != '/') whole = path.substr(0, path.rfind('/') + 1) + whole;
  read_rest(url, whole);
  return url;
}

std::string Url::host() const {
  std::string out = authority.substr(has_user() ? authority.rfind('@') + 1 : 0);
  if (out.front() == '[') return out.substr(1, out.find(']') - 1);
  return out.substr(0, out.find(':'));
}

std::string Url::last_part() const {
  const std::string part = path.substr(path.rfind('/') + 1);
  return from_percent_encoded(part).value_or(part);
}

}  // namespace quarry::resource_pypi
