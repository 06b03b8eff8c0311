#pragma once

#include <quarry/http.h>
#include <quarry/outcome.hpp>
#include <quarry/testing.hpp>

#include <map>
#include <string>
#include <vector>

namespace quarry::model_http::testing {

/// The host's HTTP client: answers by URL, and remembers what it was asked.
class FakeHttp {
 public:
  struct Answer {
    std::int32_t status = 200;
    std::string body;
  };

  explicit FakeHttp(quarry::testing::FakeHost& host) { host.offer(QUARRY_HTTP, &table_); }
  FakeHttp(const FakeHttp&) = delete;
  FakeHttp& operator=(const FakeHttp&) = delete;

  /// A URL without an answer cannot be reached.
  std::map<std::string, Answer> answers;
  /// "GET http://… name: value<SECRET>", headers in order; then the body, where there is one.
  std::vector<std::string> requests;

 private:
  static std::string line_of(const quarry_http_request& request) {
    std::string out(as_view(request.method));
    out.append(" ").append(as_view(request.url));
    for (std::uint32_t i = 0; i < request.header_count; ++i) {
      const quarry_header& header = *request.headers[i];
      out.append(" ").append(as_view(header.name)).append(": ").append(as_view(header.value));
      if (header.secret.size > 0) out.append("<").append(as_view(header.secret)).append(">");
    }
    if (request.body.size > 0) out.append(" ").append(as_view(request.body));
    return out;
  }

  static void send(const quarry_http_v1* self, const quarry_call*,
                   const quarry_http_request* request, const quarry_http_sink* sink,
                   const quarry_reply* reply) {
    auto& fake = *static_cast<FakeHttp*>(self->context);
    fake.requests.push_back(line_of(*request));
    const auto found = fake.answers.find(std::string(as_view(request->url)));
    if (found == fake.answers.end()) {
      const quarry_failure failure{
          sizeof failure, QUARRY_UNAVAILABLE, as_text("connection refused"), {}, {}};
      return reply->failure(reply, &failure);
    }
    sink->head(sink, found->second.status, 0, nullptr);
    sink->data(sink, as_text(found->second.body));
    reply->value(reply, as_text("{}"));
  }

  quarry_http_v1 table_{sizeof table_, this, send};
};

}  // namespace quarry::model_http::testing
