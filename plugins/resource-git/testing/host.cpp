#include "resource-git/testing/host.h"

#include <algorithm>

#include <curl/curl.h>

namespace quarry::resource_git::testing {
namespace {

struct Transfer {
  const quarry_call* call = nullptr;
  std::string body;
  std::vector<HttpHeader> headers;
};

std::size_t keep_body(char* bytes, std::size_t, std::size_t size, void* transfer) {
  static_cast<Transfer*>(transfer)->body.append(bytes, size);
  return size;
}

std::size_t keep_header(char* bytes, std::size_t, std::size_t size, void* transfer) {
  auto& headers = static_cast<Transfer*>(transfer)->headers;
  const std::string_view line(bytes, size);
  if (line.starts_with("HTTP/")) headers.clear();
  const auto colon = line.find(": ");
  if (colon != line.npos) {
    headers.push_back({std::string(line.substr(0, colon)),
                       std::string(line.substr(colon + 2, line.size() - colon - 4)), ""});
  }
  return size;
}

int is_over(void* transfer, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const quarry_call* call = static_cast<Transfer*>(transfer)->call;
  return call->state(call) != QUARRY_OK ? 1 : 0;
}

/// "127.0.0.1" and "8080" of "http://127.0.0.1:8080/…".
std::pair<std::string, std::string> authority_of(const std::string& url) {
  const auto begin = url.find("://") + 3;
  const auto authority = url.substr(begin, url.find('/', begin) - begin);
  const auto colon = authority.find(':');
  if (colon == authority.npos) return {authority, url.starts_with("https") ? "443" : "80"};
  return {authority.substr(0, colon), authority.substr(colon + 1)};
}

}  // namespace

RealHost::RealHost(const std::filesystem::path& cache)
    : cache_(cache.string()),
      http_{sizeof http_, this, send, permit, nullptr},
      paths_{sizeof paths_, this,
             [](const quarry_paths_v1* self) {
               return as_text(static_cast<RealHost*>(self->context)->cache_);
             },
             nullptr},
      secrets_{sizeof secrets_, this,
               [](const quarry_secrets_v1* self, const quarry_call*, quarry_text name,
                  const quarry_reply* reply) {
                 const auto& known = static_cast<RealHost*>(self->context)->secrets;
                 const auto found = known.find(std::string(as_view(name)));
                 if (found == known.end()) {
                   return quarry::detail::fail(
                       reply, {QUARRY_NOT_FOUND, "the secret is not set", "Set it.", {}});
                 }
                 reply->value(reply, as_text(json::quoted(found->second)));
               },
               [](const quarry_secrets_v1* self, quarry_text text) {
                 static_cast<RealHost*>(self->context)->hidden.emplace_back(as_view(text));
               }},
      clock_{sizeof clock_, this, nullptr, nullptr,
             [](const quarry_clock_v1*, const quarry_call* call, std::int64_t) -> quarry_status {
               ::usleep(1000);
               return call->state(call);
             }} {}

void RealHost::offer_to(quarry::testing::FakeHost& fake) {
  fake.offer(QUARRY_HTTP, &http_);
  fake.offer(QUARRY_PATHS, &paths_);
  fake.offer(QUARRY_SECRETS, &secrets_);
  fake.offer(QUARRY_CLOCK, &clock_);
  fake.offer(QUARRY_PROCESS, processes.get());
}

void RealHost::send(const quarry_http_v1* self, const quarry_call* call,
                    const quarry_http_request* request, const quarry_http_sink* sink,
                    const quarry_reply* reply) {
  auto& mine = *static_cast<RealHost*>(self->context);
  HttpRequest asked = quarry::testing::request_of(*request);
  const auto refused = mine.policy ? mine.policy(asked.url) : std::nullopt;
  if (refused) return quarry::detail::fail(reply, *refused);
  Transfer transfer;
  transfer.call = call;
  CURL* curl = ::curl_easy_init();
  curl_slist* headers = ::curl_slist_append(nullptr, "Expect:");
  for (const HttpHeader& header : asked.headers) {
    headers = ::curl_slist_append(headers, (header.name + ": " + header.value).c_str());
  }
  ::curl_easy_setopt(curl, CURLOPT_URL, asked.url.c_str());
  ::curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  ::curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  ::curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  ::curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, is_over);
  ::curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  ::curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep_body);
  ::curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  ::curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, keep_header);
  ::curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
  if (asked.method == "POST") {
    ::curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(asked.body.size()));
    ::curl_easy_setopt(curl, CURLOPT_POSTFIELDS, asked.body.c_str());
  }
  const CURLcode code = ::curl_easy_perform(curl);
  long status = 0;
  char* url = nullptr;
  ::curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  ::curl_easy_getinfo(curl, CURLINFO_EFFECTIVE_URL, &url);
  const std::string final_url = url == nullptr ? asked.url : url;
  ::curl_slist_free_all(headers);
  ::curl_easy_cleanup(curl);
  if (code != CURLE_OK) {
    const quarry_status over = call->state(call);
    return quarry::detail::fail(
        reply, {over == QUARRY_OK ? QUARRY_UNAVAILABLE : over, ::curl_easy_strerror(code), {}, {}});
  }
  const HttpRequest said{{}, {}, transfer.headers, {}};
  const quarry::detail::HttpRequestView view(said);
  sink->head(sink, static_cast<std::int32_t>(status), view.get()->header_count,
             view.get()->headers);
  sink->data(sink, as_text(transfer.body));
  const std::string json =
      "{\"status\":" + std::to_string(status) + ",\"url\":" + json::quoted(final_url) + "}";
  reply->value(reply, as_text(json));
}

void RealHost::permit(const quarry_http_v1* self, const quarry_call*, quarry_text url,
                      const quarry_reply* reply) {
  auto& mine = *static_cast<RealHost*>(self->context);
  const std::string text(as_view(url));
  const auto refused = mine.policy ? mine.policy(text) : std::nullopt;
  if (refused) return quarry::detail::fail(reply, *refused);
  const auto [host, port] = authority_of(text);
  const std::string json = "{\"host\":" + json::quoted(host) + ",\"port\":" + port +
                           ",\"addresses\":[\"127.0.0.1\"],\"proxied\":false}";
  reply->value(reply, as_text(json));
}

}  // namespace quarry::resource_git::testing
