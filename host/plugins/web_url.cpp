#include "plugins/web_url.h"

#include "base/text.h"
#include "plugins/compose.h"
#include "services/endpoint.h"

#include <algorithm>
#include <vector>

namespace quarry::plugins {
namespace {

bool is_https(std::string_view url) {
  return to_lower(url.substr(0, 8)) == "https://";
}

bool has_scheme(std::string_view reference) {
  const auto end = reference.find(':');
  return end != reference.npos && end < reference.find_first_of("/?#");
}

/// Without "." and ".." (RFC 3986, section 5.2.4).
std::string without_dots(std::string_view path) {
  std::vector<std::string> kept;
  const auto parts = split(path, '/');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (parts[i] == ".." && !kept.empty()) kept.pop_back();
    if (parts[i] != "." && parts[i] != "..") {
      kept.emplace_back(parts[i]);
    } else if (last) {
      kept.emplace_back();
    }
  }
  return "/" + join(kept, "/");
}

std::string joined(std::string_view base, std::string_view reference) {
  if (has_scheme(reference)) return std::string(reference);
  base = base.substr(0, base.find_first_of("?#"));
  const auto authority = base.find("://") + 3;
  const auto path = std::min(base.find('/', authority), base.size());
  if (reference.starts_with("//")) {
    return std::string(base.substr(0, authority - 2)) + std::string(reference);
  }
  const auto query = std::min(reference.find_first_of("?#"), reference.size());
  auto target = std::string(reference.substr(0, query));
  if (!target.starts_with('/')) {
    const auto folder =
        base.substr(path, base.rfind('/') + 1 - std::min(path, base.rfind('/') + 1));
    target = (folder.empty() ? "/" : std::string(folder)) + target;
  }
  return std::string(base.substr(0, path)) + without_dots(target) +
         std::string(reference.substr(query));
}

}  // namespace

bool is_safe_url(std::string_view url) {
  const auto endpoint = services::parse_endpoint(url);
  return endpoint && (is_https(url) || services::is_loopback(*endpoint));
}

Result<std::string> resolve_url(std::string_view base, std::string_view reference) {
  auto url = joined(base, reference);
  if (is_safe_url(url) && (is_https(url) || !is_https(base))) return url;
  return Error(Code::kPermissionDenied,
               compose("{} leads to {}, which is not an https URL", base, url),
               "plugins are fetched over https; http is for loopback addresses alone");
}

}  // namespace quarry::plugins
