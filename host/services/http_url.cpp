#include "services/http_url.h"

#include <memory>

namespace quarry::services {
namespace {

constexpr unsigned kFlags = CURLU_DISALLOW_USER;

Error invalid_url(const std::string& why) {
  return {Code::kInvalidArgument, "not a URL to fetch: " + why,
          "give one such as https://example.org/path, without user and password"};
}

std::string part(const Curl& curl, CURLU* url, CURLUPart which) {
  char* value = nullptr;
  const unsigned flags = which == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0;
  if (curl.url_get(url, which, &value, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(curl.free)> owner(value, curl.free);
  return value;
}

std::string without_brackets(std::string host) {
  if (host.starts_with('[') && host.ends_with(']')) return host.substr(1, host.size() - 2);
  return host;
}

}  // namespace

Result<HttpUrl> HttpUrl::parse(const Curl& curl, const std::string& text, const std::string& base) {
  const std::unique_ptr<CURLU, decltype(curl.url_cleanup)> url(curl.url(), curl.url_cleanup);
  if (!url) return Error{Code::kResourceExhausted, "no memory for a URL"};
  if (!base.empty()) curl.url_set(url.get(), CURLUPART_URL, base.c_str(), kFlags);
  const auto code = curl.url_set(url.get(), CURLUPART_URL, text.c_str(), kFlags);
  if (code == CURLUE_USER_NOT_ALLOWED) return invalid_url("it holds a user or a password");
  if (code == CURLUE_UNSUPPORTED_SCHEME) return invalid_url("its scheme is neither http nor https");
  if (code != CURLUE_OK || text.find('\0') != text.npos) return invalid_url("it is malformed");
  HttpUrl out{part(curl, url.get(), CURLUPART_URL), part(curl, url.get(), CURLUPART_SCHEME),
              without_brackets(part(curl, url.get(), CURLUPART_HOST)),
              part(curl, url.get(), CURLUPART_PORT)};
  if (out.scheme != "http" && out.scheme != "https")
    return invalid_url("its scheme is neither http nor https");
  if (out.host.empty()) return invalid_url("it has no host");
  return out;
}

std::string HttpUrl::origin() const {
  const bool literal = host.find(':') != host.npos;
  return scheme + "://" + (literal ? "[" + host + "]" : host) + ":" + port;
}

}  // namespace quarry::services
