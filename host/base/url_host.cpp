#include "base/url_host.h"

#include "base/text.h"

#include <algorithm>

namespace quarry {
namespace {

bool is_scheme(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
}

}  // namespace

std::string host_of_url(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == url.npos || !is_scheme(url.substr(0, begin))) return {};
  std::string_view host = url.substr(begin + 3);
  host = host.substr(0, host.find_first_of("/?#\\"));
  if (const auto user = host.rfind('@'); user != host.npos) host.remove_prefix(user + 1);
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  while (host.ends_with('.')) host.remove_suffix(1);
  return to_lower(host);
}

}  // namespace quarry
