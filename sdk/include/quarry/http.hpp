/// HTTP for plugins: the requests of a model exchange, and fetching through the host.
#ifndef QUARRY_HTTP_HPP
#define QUARRY_HTTP_HPP

#include <quarry/host.hpp>
#include <quarry/http.h>
#include <quarry/json.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
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
  std::chrono::milliseconds timeout{};  ///< as quarry_http_request.timeout_ms
  int max_redirects = 0;                ///< as quarry_http_request.max_redirects
};
struct HttpResponse {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;
  std::string url = {};  ///< after redirects
};

/// The value of the header `name` (given in lower case; headers match in any case), empty when
/// there is none.
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

/// The C form of a request; refers to the HttpRequest, which must outlive it.
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
    view_ = {sizeof view_,
             static_cast<std::uint32_t>(pointers_.size()),
             as_text(request.method),
             as_text(request.url),
             pointers_.data(),
             as_text(request.body),
             request.timeout.count(),
             request.max_redirects,
             0};
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

/// Passes a response to two functions.
struct HttpReceiver {
  const std::function<bool(int, const std::vector<HttpHeader>&)>& on_head;
  const std::function<bool(std::string_view)>& on_data;

  static HttpReceiver& of(void* context) { return *static_cast<HttpReceiver*>(context); }
  static quarry_status head(const quarry_http_sink* self, std::int32_t status, std::uint32_t count,
                            const quarry_header* const* headers) noexcept {
    return of(self->context).on_head(status, headers_of(count, headers)) ? QUARRY_OK
                                                                         : QUARRY_CANCELLED;
  }
  static quarry_status data(const quarry_http_sink* self, quarry_text bytes) noexcept {
    return of(self->context).on_data(as_view(bytes)) ? QUARRY_OK : QUARRY_CANCELLED;
  }
};

}  // namespace detail

/// The end of a response.
struct HttpEnd {
  int status = 0;
  std::string url;  ///< after redirects
};

/// Sends `request` and passes its response on as it arrives, on this thread: the head once, then
/// the body in pieces. Returning false ends the transfer, which then fails with QUARRY_CANCELLED.
/// The functions must not throw. [worker]
inline Outcome<HttpEnd> fetch_to(
    const Host& host, const Call& call, const HttpRequest& request,
    const std::function<bool(int status, const std::vector<HttpHeader>& headers)>& on_head,
    const std::function<bool(std::string_view bytes)>& on_data) {
  const auto* http = host.service<quarry_http_v1>(QUARRY_HTTP);
  if (http == nullptr) return Failure{QUARRY_UNSUPPORTED, "this host offers no HTTP", {}, {}};
  HttpEnd end;
  const auto keep_status = [&](int status, const std::vector<HttpHeader>& headers) {
    end.status = status;
    return on_head(status, headers);
  };
  const std::function<bool(int, const std::vector<HttpHeader>&)> head = keep_status;
  detail::HttpReceiver receiver{head, on_data};
  const quarry_http_sink sink{sizeof sink, &receiver, detail::HttpReceiver::head,
                              detail::HttpReceiver::data};
  const detail::HttpRequestView view(request);
  const detail::Heard heard;
  http->send(http, call.get(), view.get(), &sink, heard.reply());
  if (!heard.outcome()) return heard.outcome().failure();
  end.url = json::string(*heard.outcome(), "url").value_or(request.url);
  return end;
}

namespace detail {

/// Keeps a response of at most `most` bytes.
struct ResponseKeeper {
  HttpResponse response;
  std::size_t most = 0;
  bool too_large = false;
  quarry_http_sink sink{sizeof sink, this, head, data};

  static ResponseKeeper& of(const quarry_http_sink* self) {
    return *static_cast<ResponseKeeper*>(self->context);
  }
  static quarry_status head(const quarry_http_sink* self, std::int32_t status, std::uint32_t count,
                            const quarry_header* const* headers) noexcept {
    of(self).response = {status, headers_of(count, headers), {}, {}};
    return QUARRY_OK;
  }
  static quarry_status data(const quarry_http_sink* self, quarry_text bytes) noexcept {
    ResponseKeeper& keeper = of(self);
    keeper.too_large = bytes.size > keeper.most - keeper.response.body.size();
    if (keeper.too_large) return QUARRY_CANCELLED;
    keeper.response.body += as_view(bytes);
    return QUARRY_OK;
  }
  /// The response, or the failure, given the value of send or an item of that of send_all.
  [[nodiscard]] Outcome<HttpResponse> take(std::string_view item, const std::string& asked) {
    if (too_large) {
      return Failure{QUARRY_RESOURCE_EXHAUSTED,
                     asked + " sent more than " + std::to_string(most) + " bytes",
                     {},
                     {}};
    }
    if (const auto failed = json::member(item, "failure")) {
      return Failure{
          static_cast<quarry_status>(json::integer(*failed, "status").value_or(QUARRY_INTERNAL)),
          json::string(*failed, "message").value_or(""), json::string(*failed, "hint").value_or(""),
          std::string(json::member(*failed, "details").value_or(""))};
    }
    response.url = json::string(item, "url").value_or(asked);
    return std::move(response);
  }
};

}  // namespace detail

/// Sends `request` and returns the whole response, of any HTTP status; fails when it is missing or
/// incomplete, or its body has more than `most` bytes. [worker]
inline Outcome<HttpResponse> fetch(const Host& host, const Call& call, const HttpRequest& request,
                                   std::size_t most = std::size_t{16} << 20) {
  const auto* http = host.service<quarry_http_v1>(QUARRY_HTTP);
  if (http == nullptr) return Failure{QUARRY_UNSUPPORTED, "this host offers no HTTP", {}, {}};
  detail::ResponseKeeper keeper;
  keeper.most = most;
  const detail::HttpRequestView view(request);
  const detail::Heard heard;
  http->send(http, call.get(), view.get(), &keeper.sink, heard.reply());
  if (!heard.outcome() && !keeper.too_large) return heard.outcome().failure();
  return keeper.take(heard.outcome() ? *heard.outcome() : std::string(), request.url);
}

/// Sends up to 1000 requests, several at once, and returns their responses in the same order; each
/// fails as that of fetch does. A failure of the whole: the call is over. [worker]
inline Outcome<std::vector<Outcome<HttpResponse>>> fetch_all(
    const Host& host, const Call& call, const std::vector<HttpRequest>& requests,
    std::size_t most = std::size_t{16} << 20) {
  const auto* http = host.service<quarry_http_v1>(QUARRY_HTTP);
  if (http == nullptr) return Failure{QUARRY_UNSUPPORTED, "this host offers no HTTP", {}, {}};
  std::deque<detail::HttpRequestView> views;
  std::deque<detail::ResponseKeeper> keepers;
  std::vector<const quarry_http_request*> asked;
  std::vector<const quarry_http_sink*> sinks;
  for (const HttpRequest& request : requests) {
    asked.push_back(views.emplace_back(request).get());
    keepers.emplace_back().most = most;
    sinks.push_back(&keepers.back().sink);
  }
  const detail::Heard heard;
  http->send_all(http, call.get(), static_cast<std::uint32_t>(asked.size()), asked.data(),
                 sinks.data(), heard.reply());
  if (!heard.outcome()) return heard.outcome().failure();
  std::vector<Outcome<HttpResponse>> responses;
  const auto items = json::elements(*heard.outcome(), "responses");
  for (std::size_t i = 0; i < requests.size(); ++i) {
    responses.push_back(keepers[i].take(i < items.size() ? items[i] : "", requests[i].url));
  }
  return responses;
}

/// A host that a request was not permitted to reach (quarry/http.h).
struct RefusedHost {
  std::string host;
  bool redirect = false;  ///< a redirect led there
  bool unlisted =
      false;  ///< neither the manifest nor a field names it; else its address is private
};

/// The host in the details of a failure of fetch or permit; nullopt if it failed for another
/// reason.
inline std::optional<RefusedHost> refused_host(const Failure& failure) {
  const auto by = json::string(failure.details, "refusedBy");
  const auto host = json::string(failure.details, "host");
  if (!by || !host) return std::nullopt;
  return RefusedHost{*host, json::member(failure.details, "redirect") == "true", *by == "manifest"};
}

/// Destinations that a program of the plugin may connect to (quarry_http_v1::permit).
struct Permit {
  std::string host;
  int port = 0;
  std::vector<std::string> addresses;  ///< none when a proxy serves the host
  bool proxied = false;
};

/// Asks the host to permit a program's connection to the host of `url`. [worker]
inline Outcome<Permit> permit(const Host& host, const Call& call, std::string_view url) {
  const auto* http = host.service<quarry_http_v1>(QUARRY_HTTP);
  if (http == nullptr || !QUARRY_HAS(http, permit)) {
    return Failure{QUARRY_UNSUPPORTED, "this host permits no connections of programs", {}, {}};
  }
  const detail::Heard heard;
  http->permit(http, call.get(), as_text(url), heard.reply());
  const auto& said = heard.outcome();
  if (!said) return said.failure();
  Permit permit{json::string(*said, "host").value_or(""),
                static_cast<int>(json::integer(*said, "port").value_or(0)),
                json::strings(*said, "addresses"), json::member(*said, "proxied") == "true"};
  return permit;
}

}  // namespace quarry

#endif
