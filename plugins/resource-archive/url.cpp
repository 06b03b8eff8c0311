#include "resource-archive/url.h"

#include "package_source/text.h"

#include <quarry/percent.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace quarry::resource_archive {

namespace {

using package_source::lower;

bool is_control_or_space(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7F;
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

/// Splits "host:port"; false when the port is not a number from 1 to 65535.
bool split_port(std::string_view authority, Url& url) {
  const auto colon = authority.rfind(':');
  const auto bracket = authority.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && bracket > colon)) {
    url.host = lower(authority);
    return true;
  }
  url.host = lower(authority.substr(0, colon));
  const std::string_view digits = authority.substr(colon + 1);
  if (digits.empty()) return true;
  int port = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (read.ptr != digits.data() + digits.size() || port < 1 || port > 65535) return false;
  if (port != (url.scheme == "https" ? 443 : 80)) url.port = std::to_string(port);
  return true;
}

}  // namespace

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string Url::origin() const {
  return scheme + "://" + host + (port.empty() ? "" : ":" + port);
}

std::string Url::text() const {
  return origin() + path + query;
}

std::string Url::file_name() const {
  const std::string last = path.substr(path.rfind('/') + 1);
  return from_percent_encoded(last).value_or(last);
}

std::optional<Url> parse_url(std::string_view text, std::string& fragment, std::string& why) {
  const auto wrong = [&why](const char* cause) {
    why = cause;
    return std::nullopt;
  };
  if (std::ranges::any_of(text, is_control_or_space)) {
    return wrong("has a space or a control character; write it as %20 and the like");
  }
  const auto scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return wrong("is not an https or http URL");
  Url url;
  url.scheme = lower(text.substr(0, scheme_end));
  if (url.scheme != "http" && url.scheme != "https") return wrong("is not an https or http URL");
  text.remove_prefix(scheme_end + 3);
  if (const auto hash = text.find('#'); hash != std::string_view::npos) {
    fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  const std::string_view authority = text.substr(0, text.find_first_of("/?\\"));
  text.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos) return wrong("has a user or password in it");
  if (!split_port(authority, url)) return wrong("has a port that is not a number up to 65535");
  if (!is_host(url.host)) return wrong("has no valid host");
  if (text.find('\\') != std::string_view::npos) return wrong("has a backslash");
  const std::string_view path = text.substr(0, text.find('?'));
  url.query = encoded(text.substr(path.size()));
  url.path = path.empty() ? "/" : encoded(path);
  return url;
}

std::optional<std::string> without_extension(std::string_view file) {
  constexpr std::array<std::string_view, 11> kExtensions{
      ".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tar", ".tgz",
      ".txz",    ".tzst",   ".tbz2",    ".tbz",     ".zip"};
  const std::string small = lower(file);
  for (const std::string_view extension : kExtensions) {
    if (small.size() > extension.size() && small.ends_with(extension)) {
      return std::string(file.substr(0, file.size() - extension.size()));
    }
  }
  return std::nullopt;
}

std::string sha256_of_fragment(std::string_view fragment) {
  constexpr std::string_view kKey = "sha256=";
  if (!fragment.starts_with(kKey)) return {};
  std::string digits = lower(fragment.substr(kKey.size()));
  return digits.size() == 64 && is_hex(digits) ? digits : std::string();
}

}  // namespace quarry::resource_archive
