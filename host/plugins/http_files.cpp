#include "plugins/http_files.h"

#include "base/text.h"
#include "plugins/compose.h"
#include "plugins/web_url.h"

#include <algorithm>

namespace quarry::plugins {
namespace {

constexpr int kMaxRedirects = 5;
constexpr std::chrono::seconds kIdle{30};

std::string value_of(const services::HttpHead& head, std::string_view name) {
  const auto found = std::ranges::find_if(
      head.headers, [&](const auto& each) { return to_lower(each.name) == name; });
  return found == head.headers.end() ? "" : found->value;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Error refused(const std::string& url, int status) {
  const auto message = compose("{} was answered with status {}", url, status);
  if (status == 404 || status == 410) {
    return {Code::kNotFound, message, "correct the address, or ask its publisher"};
  }
  if (status == 401 || status == 403) {
    return {Code::kPermissionDenied, message, "it must be readable without a login"};
  }
  return {Code::kUnavailable, message, "try again later"};
}

services::HttpRequest request_for(const WebRequest& wanted, const std::string& url) {
  services::HttpRequest request{.url = url};
  if (!wanted.etag.empty()) request.headers.push_back({"If-None-Match", wanted.etag});
  return request;
}

services::HttpOptions options_for(const WebRequest& wanted) {
  return {.idle = kIdle,
          .total = wanted.total,
          .minimum_speed = services::kMinimumFetchSpeed,
          .max_bytes = wanted.limit,
          .to_models = true,
          .max_redirects = 0};
}

/// Only the body of a 200 is written.
services::HttpSink sink_of(services::HttpHead& head, const WebFiles::Write& write) {
  return {.head = [&head](const services::HttpHead& received) -> Status {
            head = received;
            return {};
          },
          .data = [&head, &write](std::string_view bytes) -> Status {
            return head.status == 200 ? write(bytes) : Status();
          }};
}

}  // namespace

Result<WebResponse> HttpFiles::get(const services::Call& call, const WebRequest& wanted,
                                   const Write& write) {
  std::string url = wanted.url;
  for (int hops = 0; hops <= kMaxRedirects; ++hops) {
    if (!is_safe_url(url)) {
      return Error(Code::kPermissionDenied, url + " is not an https URL",
                   "plugins are fetched over https; http is for loopback addresses alone");
    }
    services::HttpHead head;
    auto sent =
        client_.send(call, request_for(wanted, url), sink_of(head, write), options_for(wanted));
    if (!sent) return std::move(sent.error()).in(url);
    const int status = sent->status;
    if (status == 200) return WebResponse{.unchanged = false, .etag = value_of(head, "etag")};
    if (status == 304 && !wanted.etag.empty()) {
      return WebResponse{.unchanged = true, .etag = wanted.etag};
    }
    const auto location = value_of(head, "location");
    if (!is_redirect(status) || location.empty()) return refused(url, status);
    auto next = resolve_url(url, location);
    if (!next) return std::move(next.error());
    url = std::move(*next);
  }
  return Error(Code::kUnavailable,
               compose("{} leads to more than {} redirects", wanted.url, kMaxRedirects),
               "give the address that they lead to");
}

}  // namespace quarry::plugins
