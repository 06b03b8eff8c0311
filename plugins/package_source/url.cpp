#include "package_source/url.h"

#include "package_source/text.h"

#include <quarry/percent.hpp>

#include <algorithm>
#include <charconv>
#include <vector>

namespace quarry::package_source {

namespace {

bool is_control_or_space(char c) {
  return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_host(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return host.find_first_not_of("0123456789abcdef:.", 1) == host.size() - 1;
  }
  return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, is_host_character);
}

/// Bytes that a URL may not have as they are, such as letters beyond ASCII, are percent-encoded.
std::string encoded(std::string_view text) {
  return to_percent_encoded(text, "%/:?#[]@!$&'()*+,;=|");
}

/// Takes the text before the first of `marks`.
std::string_view cut(std::string_view& rest, std::string_view marks) {
  const std::string_view head = rest.substr(0, rest.find_first_of(marks));
  rest.remove_prefix(head.size());
  return head;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> parts;
  bool is_folder = path.empty();
  while (!path.empty()) {
    path.remove_prefix(1);  // the '/'
    const std::string_view part = cut(path, "/");
    is_folder = part == "." || part == "..";
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!is_folder) parts.push_back(part);
  }
  std::string out;
  for (const std::string_view part : parts) out.append("/").append(part);
  return is_folder ? out + "/" : out;
}

/// Splits "host:port"; false when the port is not a number from 1 to 65535.
bool read_authority(std::string_view text, Url& url) {
  const auto colon = text.rfind(':');
  const auto bracket = text.rfind(']');
  const bool has_port = colon != text.npos && (bracket == text.npos || bracket < colon);
  url.host = lower(text.substr(0, has_port ? colon : text.npos));
  const std::string_view digits = has_port ? text.substr(colon + 1) : std::string_view();
  if (digits.empty()) return true;
  int port = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (read.ptr != digits.data() + digits.size() || port < 1 || port > 65535) return false;
  if (port != (url.scheme == "https" ? 443 : 80)) url.port = std::to_string(port);
  return true;
}

/// Reads path, query and fragment.
void read_rest(Url& url, std::string_view rest) {
  url.path = encoded(without_dots(cut(rest, "?#")));
  url.query = encoded(cut(rest, "#"));
  url.fragment = rest.empty() ? "" : rest.substr(1);
}

const char* read_url(std::string_view text, Url& url) {
  if (std::ranges::any_of(text, is_control_or_space)) {
    return "has a space or a control character; write it as %20 and the like";
  }
  const auto scheme_end = std::min(text.find("://"), text.size());
  url.scheme = lower(text.substr(0, scheme_end));
  if (url.scheme != "http" && url.scheme != "https") return "is not an https or http URL";
  text.remove_prefix(std::min(scheme_end + 3, text.size()));
  const std::string_view authority = cut(text, "/?#\\");
  if (authority.find('@') != authority.npos) return "has a user or password in it";
  if (!read_authority(authority, url)) return "has a port that is not a number up to 65535";
  if (!is_host(url.host)) return "has no valid host";
  if (text.find('\\') != text.npos) return "has a backslash";
  read_rest(url, text);
  return nullptr;
}

}  // namespace

std::optional<Url> Url::parse(std::string_view text, std::string* why) {
  Url url;
  const char* const wrong = read_url(text, url);
  if (wrong == nullptr) return url;
  if (why != nullptr) *why = wrong;
  return std::nullopt;
}

std::optional<Url> Url::resolve(std::string_view reference) const {
  reference = trimmed(reference);
  if (std::ranges::any_of(reference, is_control_or_space) ||
      reference.find('\\') != reference.npos) {
    return std::nullopt;
  }
  if (reference.starts_with("//")) return parse(scheme + ":" + std::string(reference));
  const auto mark = reference.find_first_of(":/?#");
  if (mark != reference.npos && reference[mark] == ':') return parse(reference);
  Url url{scheme, host, port, path, query, {}};
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

std::string Url::plain_host() const {
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

std::string Url::file_name() const {
  const std::string last = path.substr(path.rfind('/') + 1);
  return from_percent_encoded(last).value_or(last);
}

}  // namespace quarry::package_source
