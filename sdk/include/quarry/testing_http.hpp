/// The part of the test kit (<quarry/testing.hpp>) with the HTTP service:
///
///   quarry::testing::FakeHttp http;
///   http.hosts = {"a.example"};
///   http.responses["https://a.example/old"] = {301, {{"location", "/new", {}}}, {}};
///   http.responses["https://a.example/new"] = {200, {}, "body"};
///   http.cut["https://a.example/new"] = 2;  // the connection breaks after "bo"
#ifndef QUARRY_TESTING_HTTP_HPP
#define QUARRY_TESTING_HTTP_HPP

#include <quarry/http.hpp>
#include <quarry/limits.h>
#include <quarry/testing_services.hpp>
#include <quarry/testing_url.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::testing {

/// The C++ form of a request; its secrets are names.
inline HttpRequest request_of(const quarry_http_request& said) {
  HttpRequest out{std::string(as_view(said.method)),
                  std::string(as_view(said.url)),
                  {},
                  std::string(as_view(said.body)),
                  std::chrono::milliseconds(said.timeout_ms),
                  said.max_redirects};
  for (std::uint32_t i = 0; i < said.header_count; ++i) {
    const quarry_header& header = *said.headers[i];
    out.headers.push_back({std::string(as_view(header.name)), std::string(as_view(header.value)),
                           std::string(as_view(header.secret))});
  }
  return out;
}

namespace detail {

/// True for a header that the host removes when a redirect leads to another origin.
inline bool is_credential(const HttpHeader& header) {
  const std::string name = lower(header.name);
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  return !header.secret.empty() || has("authorization") || has("cookie") || has("token") ||
         has("key") || has("secret");
}

/// The request that follows a redirect of `status` from `from` to `to`.
inline HttpRequest redirected(HttpRequest request, int status, const Url& from, const Url& to) {
  if (to.origin() != from.origin()) std::erase_if(request.headers, is_credential);
  const bool to_get = status == 303 || (status <= 302 && request.method == "POST");
  if (to_get && request.method != "HEAD") {
    request.method = "GET";
    request.body.clear();
    std::erase_if(request.headers, [](const HttpHeader& header) {
      return lower(header.name).substr(0, 8) == "content-";
    });
  }
  request.url = to.text();
  return request;
}

inline bool is_token(std::string_view text) {
  constexpr std::string_view kPunctuation = "!#$%&'*+-.^_`|~";  // RFC 9110, 5.6.2
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPunctuation.find(c) != std::string_view::npos;
  });
}

/// The host's failure of a request with a wrong method or header; status QUARRY_OK if there is
/// none.
inline Failure request_failure(const HttpRequest& request) {
  constexpr std::string_view kReserved[] = {
      "host", "content-length", "transfer-encoding", "connection",
      "te",   "trailer",        "upgrade",           "proxy-authorization"};
  if (!is_token(request.method)) {
    return {QUARRY_INVALID_ARGUMENT, "not an HTTP method: '" + request.method + "'", {}, {}};
  }
  for (const HttpHeader& header : request.headers) {
    const bool reserved =
        std::count(std::begin(kReserved), std::end(kReserved), lower(header.name)) > 0;
    if (reserved || !is_token(header.name)) {
      return {QUARRY_INVALID_ARGUMENT,
              "the header '" + header.name + "' cannot be set",
              "leave it out; the HTTP client sets what the message needs",
              {}};
    }
    if (header.value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
      return {QUARRY_INVALID_ARGUMENT,
              "the value of the header '" + header.name + "' contains a line break",
              header.secret.empty() ? "" : "check the secret '" + header.secret + "'",
              {}};
    }
  }
  return {QUARRY_OK, {}, {}, {}};
}

}  // namespace detail

/// An HTTP service (quarry.http/1) with canned responses: what `answer` returns, if it is set, else
/// the one for the URL in `responses`, else `response`; or `failure` when its status is not
/// QUARRY_OK. A response to HEAD has no body. Redirects (a status such as 302 with a location) are
/// followed as the host follows them, up to the max_redirects of the request, without credentials
/// to another origin; requests are checked as the host checks them. Requests are answered one after
/// another, without timeouts and private addresses. Several threads may send at once, if `answer`
/// permits that.
class FakeHttp {
 public:
  FakeHttp() : http_{sizeof http_, this, send, allow, send_all} {}
  FakeHttp(const FakeHttp&) = delete;
  FakeHttp& operator=(const FakeHttp&) = delete;

  [[nodiscard]] const quarry_http_v1* get() const { return &http_; }

  /// Answers by method and headers, or fails single requests.
  std::function<Outcome<HttpResponse>(const HttpRequest&)> answer;
  HttpResponse response{200, {}, {}};
  std::map<std::string, HttpResponse> responses;
  Failure failure{QUARRY_OK, {}, {}, {}};
  /// In order of arrival; each redirect that is followed is one more.
  std::vector<HttpRequest> requests;
  std::size_t piece = SIZE_MAX;  ///< bytes of a body passed on at once
  /// Bytes of a response's body after which its connection breaks, by URL.
  std::map<std::string, std::size_t> cut;
  /// The hosts of the manifest, and those that fields name: "a.example", "*.a.example", "*". Not
  /// set: every host.
  std::optional<std::vector<std::string>> hosts;
  /// If set, headers may name only secrets of this service.
  const FakeSecrets* secrets = nullptr;
  /// The reply of permit, for any permitted URL.
  std::string permit = R"({"host":"127.0.0.1","port":1,"addresses":["127.0.0.1"]})";

 private:
  using Text = Outcome<std::string>;

  static FakeHttp& of(const quarry_http_v1* self) { return *static_cast<FakeHttp*>(self->context); }
  static Failure none() { return {QUARRY_OK, {}, {}, {}}; }
  static Failure foreign_call() {
    return {QUARRY_INVALID_ARGUMENT,
            "the call is missing, or is none of this host's",
            "pass on the call that the host lent, or open one with quarry_host.open_call",
            {}};
  }
  static void tell(const quarry_reply* reply, const Text& outcome) {
    quarry::detail::answer(reply, outcome);
  }

  static void allow(const quarry_http_v1* self, const quarry_call* call, quarry_text url,
                    const quarry_reply* reply) {
    tell(reply, [&]() -> Text {
      if (call == nullptr) return foreign_call();
      if (of(self).failure.status != QUARRY_OK) return of(self).failure;
      const auto wanted = detail::Url::parse(as_view(url));
      if (!wanted || wanted->has_user) {
        return Failure{
            QUARRY_INVALID_ARGUMENT, "not an http, https or ssh URL with a host", {}, {}};
      }
      if (Failure listed = of(self).check_listed(*wanted); listed.status != QUARRY_OK)
        return listed;
      return of(self).permit;
    }());
  }
  static void send_all(const quarry_http_v1* self, const quarry_call* call, std::uint32_t count,
                       const quarry_http_request* const* requests,
                       const quarry_http_sink* const* sinks, const quarry_reply* reply) {
    tell(reply, of(self).send_each(call, count, requests, sinks));
  }
  static void send(const quarry_http_v1* self, const quarry_call* call,
                   const quarry_http_request* request, const quarry_http_sink* sink,
                   const quarry_reply* reply) {
    if (call == nullptr) return tell(reply, foreign_call());
    tell(reply, of(self).send_one(Call(call), request_of(*request), sink));
  }

  Text send_each(const quarry_call* lent, std::uint32_t count,
                 const quarry_http_request* const* list, const quarry_http_sink* const* sinks) {
    if (lent == nullptr) return foreign_call();
    if (count > QUARRY_LIMIT_REQUESTS) {
      return Failure{QUARRY_INVALID_ARGUMENT,
                     std::to_string(count) + " requests at once, more than 1000",
                     "send them in several calls",
                     {}};
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (Failure wrong = check_secrets(request_of(*list[i])); wrong.status != QUARRY_OK) {
        return wrong;
      }
    }
    std::string all;
    for (std::uint32_t i = 0; i < count; ++i) {
      const quarry_http_sink* const sink = sinks == nullptr ? nullptr : sinks[i];
      const Text one = send_one(Call(lent), request_of(*list[i]), sink);
      if (!one && Call(lent).over()) return Call(lent).why();
      if (!all.empty()) all += ',';
      all += one ? *one : failure_json(one.failure());
    }
    return "{\"responses\":[" + all + "]}";
  }
  static std::string failure_json(const Failure& failure) {
    return "{\"failure\":{\"status\":" + std::to_string(failure.status) +
           ",\"message\":" + json::quoted(failure.message) +
           ",\"hint\":" + json::quoted(failure.hint) +
           (failure.details.empty() ? "" : ",\"details\":" + failure.details) + "}}";
  }

  Text send_one(const Call& call, HttpRequest request, const quarry_http_sink* sink) {
    if (Failure wrong = check(request); wrong.status != QUARRY_OK) return wrong;
    for (int hops = 0;;) {
      const Outcome<HttpResponse> found = find(request);
      if (!found) return found.failure();
      const std::string_view location = header(found->headers, "location");
      if (!follows(*found, location, request.max_redirects, hops)) {
        Failure ended = pass_on(*found, request, call, sink);
        if (ended.status != QUARRY_OK) return ended;
        return "{\"status\":" + std::to_string(found->status) +
               ",\"url\":" + json::quoted(request.url) + "}";
      }
      ++hops;
      if (Failure wrong = redirect(request, found->status, location, hops);
          wrong.status != QUARRY_OK) {
        return wrong;
      }
    }
  }
  [[nodiscard]] Failure check(const HttpRequest& request) const {
    if (Failure wrong = check_secrets(request); wrong.status != QUARRY_OK) return wrong;
    if (Failure wrong = detail::request_failure(request); wrong.status != QUARRY_OK) return wrong;
    return check_url(request.url);
  }
  [[nodiscard]] Failure check_secrets(const HttpRequest& request) const {
    for (const HttpHeader& header : request.headers) {
      if (secrets == nullptr || header.secret.empty()) continue;
      const Text value = secrets->value_of(header.secret);
      if (!value) return value.failure();
    }
    return none();
  }
  [[nodiscard]] Failure check_url(const std::string& text, bool redirect = false) const {
    const auto url = detail::Url::parse(text);
    const auto invalid = [](const char* why) {
      return Failure{QUARRY_INVALID_ARGUMENT,
                     std::string("not a URL to fetch: ") + why,
                     "give one such as https://example.org/path, without user and password",
                     {}};
    };
    if (!url) return invalid("it is malformed");
    if (url->scheme != "http" && url->scheme != "https") {
      return invalid("its scheme is neither http nor https");
    }
    if (url->has_user) return invalid("it holds a user or a password");
    return check_listed(*url, redirect);
  }
  [[nodiscard]] Failure check_listed(const detail::Url& url, bool redirect = false) const {
    const auto matches = [&](const std::string& pattern) {
      return detail::host_matches(pattern, url.host);
    };
    if (!hosts || std::any_of(hosts->begin(), hosts->end(), matches)) return none();
    return {QUARRY_PERMISSION_DENIED, "the manifest does not list the host '" + url.host + "'",
            "add it to the permissions in plugin.toml",
            "{\"host\":" + json::quoted(url.host) +
                ",\"redirect\":" + (redirect ? "true" : "false") + ",\"refusedBy\":\"manifest\"}"};
  }

  static bool follows(const HttpResponse& said, std::string_view location, int most, int hops) {
    const int status = said.status;
    const bool redirects =
        status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    constexpr int kMost = QUARRY_LIMIT_REDIRECTS;
    return redirects && !location.empty() && (most == 0 || hops < std::min(most, kMost));
  }
  /// Makes `request` the one that follows its redirect, number `hops`.
  [[nodiscard]] Failure redirect(HttpRequest& request, int status, std::string_view location,
                                 int hops) const {
    constexpr int kUsual = 5;
    const detail::Url from = *detail::Url::parse(request.url);
    if (request.max_redirects == 0 && hops > kUsual) {
      return {QUARRY_UNAVAILABLE,
              "more than 5 redirects, the last from " + from.origin(),
              "give the address they lead to",
              {}};
    }
    const auto to = from.resolve(location);
    Failure wrong = check_url(to ? to->text() : std::string(), true);
    if (wrong.status != QUARRY_OK) {
      wrong.message = "a redirect from " + from.origin() + ": " + wrong.message;
      return wrong;
    }
    request = detail::redirected(std::move(request), status, from, *to);
    return none();
  }

  [[nodiscard]] Outcome<HttpResponse> find(const HttpRequest& request) {
    {
      const std::lock_guard lock(mutex_);
      requests.push_back(request);
    }
    if (failure.status != QUARRY_OK) return failure;
    if (answer) return answer(request);
    const auto found = responses.find(request.url);
    return found == responses.end() ? response : found->second;
  }
  /// The failure of the transfer; status QUARRY_OK if there is none.
  [[nodiscard]] Failure pass_on(const HttpResponse& said, const HttpRequest& request,
                                const Call& call, const quarry_http_sink* sink) const {
    const HttpRequest head{{}, {}, said.headers, {}};
    const quarry::detail::HttpRequestView view(head);
    if (sink != nullptr && sink->head != nullptr &&
        sink->head(sink, said.status, view.get()->header_count, view.get()->headers) != QUARRY_OK) {
      return rejected();
    }
    if (request.method == "HEAD") return none();
    const auto broken = cut.find(request.url);
    const std::string_view body = said.body;
    if (broken == cut.end()) return hand_over(body, call, sink);
    Failure ended = hand_over(body.substr(0, broken->second), call, sink);
    if (ended.status != QUARRY_OK) return ended;
    return {QUARRY_UNAVAILABLE,
            "the connection to " + detail::Url::parse(request.url)->origin() + " broke after " +
                std::to_string(std::min(broken->second, body.size())) + " bytes of the response",
            "try again",
            {}};
  }
  [[nodiscard]] Failure hand_over(std::string_view body, const Call& call,
                                  const quarry_http_sink* sink) const {
    while (sink != nullptr && sink->data != nullptr && !body.empty()) {
      const std::string_view next = body.substr(0, piece);
      body.remove_prefix(next.size());
      if (call.over()) return call.why();
      if (sink->data(sink, as_text(next)) != QUARRY_OK) return rejected();
    }
    return none();
  }
  static Failure rejected() {
    return {QUARRY_CANCELLED, "the plugin rejected further output", {}, {}};
  }

  quarry_http_v1 http_;
  std::mutex mutex_;
};

}  // namespace quarry::testing

#endif
