#include "resource-npm/url.h"

#include "package_source/text.h"

#include <algorithm>

namespace quarry::resource_npm {
namespace {

using package_source::lower;

bool is_host_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// The host's length: up to the port's colon, or the end. npos when the host is invalid.
std::size_t host_size(std::string_view authority) {
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    return end == authority.npos || end < 3 ? authority.npos : end + 1;
  }
  const auto size = std::min(authority.find(':'), authority.size());
  const bool good = size > 0 && std::ranges::all_of(authority.substr(0, size), is_host_char);
  return good ? size : authority.npos;
}

bool is_good_path(std::string_view path) {
  constexpr std::string_view kWrong = "?#\\\"<>`{}|^ ";
  for (const char c : path) {
    if (c <= ' ' || c >= 0x7f || kWrong.find(c) != kWrong.npos) return false;
  }
  const std::string parts = lower(path) + "/";
  return parts.find("/./") == parts.npos && parts.find("/../") == parts.npos &&
         parts.find("%2e") == parts.npos;
}

}  // namespace

std::optional<Url> Url::parse(std::string_view text) {
  const auto colon = text.find("://");
  if (colon == text.npos) return std::nullopt;
  Url out;
  out.scheme = lower(text.substr(0, colon));
  if (out.scheme != "http" && out.scheme != "https") return std::nullopt;
  text.remove_prefix(colon + 3);
  const auto slash = std::min(text.find('/'), text.size());
  out.authority = lower(text.substr(0, slash));
  out.path = slash == text.size() ? "/" : std::string(text.substr(slash));
  const auto size = host_size(out.authority);
  if (size == std::string::npos || !is_good_path(out.path)) return std::nullopt;
  if (size == out.authority.size()) return out;
  const std::string port = out.authority.substr(size + 1);
  if (out.authority[size] != ':' || !is_port(port)) return std::nullopt;
  if (port == (out.scheme == "https" ? "443" : "80")) out.authority.resize(size);
  return out;
}

std::string_view Url::host() const {
  std::string_view out = std::string_view(authority).substr(0, host_size(authority));
  if (out.starts_with('[')) out = out.substr(1, out.size() - 2);
  return out;
}

}  // namespace quarry::resource_npm
