/// HTTP as plugins see it: the requests of a model exchange, and fetching through the host.
#ifndef QUARRY_HTTP_HPP
#define QUARRY_HTTP_HPP

#include <quarry/host.hpp>
#include <quarry/http.h>

#include <string>
#include <string_view>
#include <vector>

namespace quarry {

/// `secret` names a secret that the host appends to `value`; empty = none.
struct HttpHeader {
  std::string name;
  std::string value;
  std::string secret;
};
struct HttpRequest {
  std::string method;
  std::string url;
  std::vector<HttpHeader> headers;
  std::string body;
};
struct HttpResponse {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;
};

/// The value of the header `name` (lower case; headers compare without case), empty when there is
/// none.
inline std::string_view header(const std::vector<HttpHeader>& headers, std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  for (const HttpHeader& candidate : headers) {
    bool same = candidate.name.size() == name.size();
    for (std::size_t i = 0; same && i < name.size(); ++i) {
      same = lower(candidate.name[i]) == name[i];
    }
    if (same) return candidate.value;
  }
  return {};
}

namespace detail {

/// A request in the shape of the contract, over one that outlives it.
class HttpRequestView {
 public:
  HttpRequestView() = default;
  explicit HttpRequestView(const HttpRequest& request) { show(request); }
  HttpRequestView(const HttpRequestView&) = delete;
  HttpRequestView& operator=(const HttpRequestView&) = delete;

  void show(const HttpRequest& request) {
    headers_.clear();
    pointers_.clear();
    for (const HttpHeader& header : request.headers) {
      headers_.push_back({sizeof(quarry_header), as_text(header.name), as_text(header.value),
                          as_text(header.secret)});
    }
    for (const quarry_header& header : headers_) pointers_.push_back(&header);
    view_ = {sizeof view_,         as_text(request.method),
             as_text(request.url), static_cast<std::uint32_t>(pointers_.size()),
             pointers_.data(),     as_text(request.body)};
  }
  [[nodiscard]] const quarry_http_request* get() const { return &view_; }

 private:
  std::vector<quarry_header> headers_;
  std::vector<const quarry_header*> pointers_;
  quarry_http_request view_{};
};

inline std::vector<HttpHeader> headers_of(std::uint32_t count, const quarry_header* const* list) {
  std::vector<HttpHeader> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    out.push_back({std::string(as_view(list[i]->name)), std::string(as_view(list[i]->value)), {}});
  }
  return out;
}

/// Collects one response and how it ended.
struct HttpFetch {
  HttpResponse response;
  std::size_t most;
  bool too_large = false;
  Failure failure{QUARRY_OK, {}, {}, {}};

  static HttpFetch& of(void* context) { return *static_cast<HttpFetch*>(context); }
  static quarry_status head(const quarry_http_sink* self, std::int32_t status, std::uint32_t count,
                            const quarry_header* const* headers) {
    of(self->context).response = {status, headers_of(count, headers), {}};
    return QUARRY_OK;
  }
  static quarry_status data(const quarry_http_sink* self, quarry_text bytes) {
    HttpFetch& fetch = of(self->context);
    fetch.too_large = bytes.size > fetch.most - fetch.response.body.size();
    if (fetch.too_large) return QUARRY_RESOURCE_EXHAUSTED;
    fetch.response.body += as_view(bytes);
    return QUARRY_OK;
  }
  static void value(const quarry_reply*, quarry_text) {}
  static void fail(const quarry_reply* self, const quarry_failure* failure) {
    of(self->context).failure = {failure->status,
                                 std::string(as_view(failure->message)),
                                 std::string(as_view(failure->hint)),
                                 {}};
  }
};

}  // namespace detail

/// Sends `request` and blocks until its whole response is there, whatever its status; fails when
/// there is none, or its body has more than `most` bytes. [worker]
inline Outcome<HttpResponse> fetch(const Host& host, const Call& call, const HttpRequest& request,
                                   std::size_t most = std::size_t{16} << 20) {
  const auto* http = host.service<quarry_http_v1>(QUARRY_HTTP);
  if (http == nullptr) return Failure{QUARRY_UNSUPPORTED, "this host offers no HTTP", {}, {}};
  detail::HttpFetch fetching{.response = {}, .most = most};
  const detail::HttpRequestView view(request);
  const quarry_http_sink sink{sizeof sink, &fetching, detail::HttpFetch::head,
                              detail::HttpFetch::data};
  const quarry_reply reply{sizeof reply, &fetching, detail::HttpFetch::value,
                           detail::HttpFetch::fail};
  http->send(http, call.get(), view.get(), &sink, &reply);
  if (fetching.too_large) {
    return Failure{QUARRY_RESOURCE_EXHAUSTED,
                   request.url + " sent more than " + std::to_string(most) + " bytes",
                   {},
                   {}};
  }
  if (fetching.failure.status != QUARRY_OK) return fetching.failure;
  return std::move(fetching.response);
}

}  // namespace quarry

#endif
