#include "package_source/exchange.h"

#include "package_source/answer.h"

#include <quarry/json.hpp>

namespace quarry::package_source {

namespace {

std::string validator(const std::vector<HttpHeader>& headers, std::string_view name) {
  constexpr std::size_t kLongest = 1024;
  const std::string_view value = header(headers, name);
  return value.size() > kLongest ? std::string() : std::string(value);
}

}  // namespace

Validators Validators::of(const std::vector<HttpHeader>& headers) {
  return {validator(headers, "etag"), validator(headers, "last-modified")};
}

Validators Validators::from(std::string_view object) {
  return {json::string(object, "etag").value_or(""),
          json::string(object, "lastModified").value_or("")};
}

std::string Validators::json() const {
  std::string out;
  if (!etag.empty()) out += "\"etag\":" + json::quoted(etag);
  if (last_modified.empty()) return out;
  return out + (out.empty() ? "" : ",") + "\"lastModified\":" + json::quoted(last_modified);
}

void Validators::add_to(HttpRequest& request) const {
  if (!etag.empty()) request.headers.push_back({"if-none-match", etag, {}});
  if (!last_modified.empty()) request.headers.push_back({"if-modified-since", last_modified, {}});
}

Outcome<HttpResponse> receive(const Exchange& exchange, const HttpRequest& request,
                              std::uint64_t most, const OnData& take) {
  HttpResponse response;
  std::uint64_t size = 0;
  bool declined = false;
  const auto end = exchange.send(
      request,
      [&](int status, const std::vector<HttpHeader>& headers) {
        response = {status, headers, {}, request.url};
        return true;
      },
      [&](std::string_view bytes) {
        if (response.status != 200) {
          response.body += bytes.substr(0, kMostAnswer - response.body.size());
          return true;
        }
        size += bytes.size();
        if (size > most) return false;
        if (!take) response.body += bytes;
        declined = take && !take(bytes);
        return !declined;
      });
  if (exchange.call.over()) return exchange.call.why();
  if (size > most) {
    return Failure{QUARRY_RESOURCE_EXHAUSTED,
                   request.url + " sent more than " + std::to_string(most) + " bytes",
                   "Check this address; no such document is that large.",
                   {}};
  }
  if (!end && !declined) return end.failure();
  if (end) response.url = end->url;
  return response;
}

}  // namespace quarry::package_source
