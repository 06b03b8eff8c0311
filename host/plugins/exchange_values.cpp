#include "plugins/exchange_values.h"

#include "plugins/call_rights.h"
#include "plugins/compose.h"
#include "services/egress_policy.h"

#include <quarry/limits.h>
#include <quarry/outcome.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace quarry::plugins {
namespace {

Error no_request(std::string_view why) {
  return {Code::kInternal, compose("the provider gave no valid HTTP request: {}", why)};
}

Result<services::HttpHeader> read_header(const quarry_header* said) {
  if (said == nullptr) return no_request("a header is null");
  if (!QUARRY_HAS(said, secret)) return no_request("a header is too short");
  if (said->name.size == 0) return no_request("a header has no name");
  return services::HttpHeader{std::string(as_view(said->name)), std::string(as_view(said->value)),
                              std::string(as_view(said->secret))};
}

Result<services::HttpRequest> copy_request(const quarry_http_request* said) {
  if (said == nullptr) return no_request("it gave none");
  if (!QUARRY_HAS(said, body)) return no_request("it is too short");
  if (said->method.size == 0) return no_request("it has no method");
  const auto url = as_view(said->url);
  if (!url.starts_with("https://") && !url.starts_with("http://")) {
    return no_request("its URL is not http or https");
  }
  if (said->header_count > QUARRY_LIMIT_REQUEST_HEADERS) {
    return no_request(compose("it has more than {} headers", QUARRY_LIMIT_REQUEST_HEADERS));
  }
  if (said->header_count > 0 && said->headers == nullptr) return no_request("a header is null");
  services::HttpRequest request{.method = std::string(as_view(said->method)),
                                .url = std::string(url),
                                .headers = {},
                                .body = std::string(as_view(said->body))};
  for (std::uint32_t i = 0; i < said->header_count; ++i) {
    auto header = read_header(said->headers[i]);
    if (!header) return std::move(header.error());
    request.headers.push_back(std::move(*header));
  }
  return request;
}

bool may_read(const Instance& instance, const std::string& secret) {
  const auto lists = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, secret) != names.end();
  };
  return lists(instance.permissions().secrets) || lists(instance.rights().secrets);
}

bool may_reach(const Instance& instance, const std::string& host) {
  const auto& named = instance.rights().hosts;
  return std::ranges::find(named, host) != named.end() ||
         services::check_listed(instance.permissions().hosts, host);
}

Error no_secret(const services::HttpHeader& header) {
  return no_request(
      compose("its header {} contains the secret \"{}\", which the manifest does not permit",
              header.name, header.secret));
}

}  // namespace

Result<services::HttpRequest> read_exchange_request(const Instance& instance,
                                                    const quarry_http_request* said) {
  auto request = copy_request(said);
  if (!request) return instance.blame(std::move(request.error()));
  for (const auto& header : request->headers) {
    if (!header.secret.empty() && !may_read(instance, header.secret))
      return instance.blame(no_secret(header));
  }
  if (const auto host = host_in(request->url); !may_reach(instance, host)) {
    return instance.blame(no_request(compose(
        "neither the manifest nor the description's endpoint names the host \"{}\"", host)));
  }
  return request;
}

LentHeaders::LentHeaders(std::span<const services::HttpHeader> headers) {
  lent_.reserve(headers.size());
  for (const auto& header : headers) {
    lent_.push_back(
        {sizeof(quarry_header), as_text(header.name), as_text(header.value), {nullptr, 0}});
  }
  pointers_.reserve(lent_.size());
  for (const auto& header : lent_) pointers_.push_back(&header);
}

}  // namespace quarry::plugins
