#include "request.h"

#include <algorithm>

namespace quarry::http_server {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr std::size_t kLongestTraceparent = 512;  // characters; 55 in the present version

}  // namespace

std::string_view traceparent(const Request& request) {
  std::string_view found;
  for (const Header& header : request.headers) {
    if (!equal_ignoring_case(header.name, "traceparent")) continue;
    if (!found.empty()) return {};
    found = header.value;
  }
  return found.size() > kLongestTraceparent ? std::string_view() : found;
}

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lower, lower);
}

std::string_view Request::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (equal_ignoring_case(header.name, name)) return header.value;
  }
  return {};
}

std::string Request::list(std::string_view name) const {
  std::string all;
  for (const Header& header : headers) {
    if (!equal_ignoring_case(header.name, name)) continue;
    all.append(all.empty() ? "" : ", ").append(header.value);
  }
  return all;
}

std::vector<std::string_view> Request::parameters(std::string_view name) const {
  std::vector<std::string_view> values;
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.substr(0, pair.find('=')) != name) continue;
    values.push_back(pair.substr(std::min(pair.size(), name.size() + 1)));
  }
  return values;
}

std::string_view Request::parameter(std::string_view name) const {
  const auto values = parameters(name);
  return values.empty() ? std::string_view() : values.front();
}

}  // namespace quarry::http_server
