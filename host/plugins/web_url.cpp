#include "plugins/web_url.h"

#include "base/text.h"
#include "plugins/compose.h"
#include "services/endpoint.h"
#include "services/http_url.h"

namespace quarry::plugins {
namespace {

bool is_https(std::string_view url) {
  return to_lower(url.substr(0, 8)) == "https://";
}

}  // namespace

bool is_safe_url(std::string_view url) {
  const auto endpoint = services::parse_endpoint(url);
  return endpoint && (is_https(url) || services::is_loopback(*endpoint));
}

Result<std::string> resolve_url(std::string_view base, std::string_view reference) {
  const auto curl = services::load_curl();
  if (!curl) return curl.error();
  const auto url = services::HttpUrl::parse(*curl, std::string(reference), std::string(base));
  if (url && is_safe_url(url->text) && (is_https(url->text) || !is_https(base))) return url->text;
  return Error(Code::kPermissionDenied,
               compose("{} leads to {}, which is not an https URL", base, reference),
               "plugins are fetched over https; http is for loopback addresses alone");
}

}  // namespace quarry::plugins
