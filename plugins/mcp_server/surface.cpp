#include "surface.h"

#include "admission.h"
#include "exchange.h"
#include "http_server/bearer.h"
#include "http_server/media_type.h"

#include <algorithm>
#include <utility>

namespace quarry::mcp {
namespace {

using http_server::AccessPolicy;
using http_server::Request;
using http_server::Responder;
using http_server::Response;
using http_server::Traffic;

constexpr std::string_view kMetricsRight = "metrics";

/// Labels of the routes in metrics, in the order of Surface::Route.
std::vector<std::string> labels(const MoreRoutes* more) {
  std::vector<std::string> all;
  for (const char* path : {"mcp", "/livez", "/readyz", "/metrics"}) {
    all.push_back("route=\"" + std::string(path) + '"');
  }
  if (more != nullptr) all.push_back("route=\"" + more->label() + '"');
  return all;
}

std::string_view name_of(int status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 406:
      return "not_acceptable";
    case 408:
      return "request_timeout";
    case 413:
      return "payload_too_large";
    case 415:
      return "unsupported_media_type";
    case 417:
      return "expectation_failed";
    case 429:
      return "too_many_requests";
    case 431:
      return "headers_too_large";
    case 503:
      return "unavailable";
    default:
      return "internal_error";
  }
}

Response with(Response response, std::string headers) {
  response.headers += headers;
  return response;
}

/// True if one of the schemes of X-Forwarded-Proto, a list if there are several proxies, is http.
bool names_plain_http(std::string_view schemes) {
  while (!schemes.empty()) {
    std::string_view one = schemes.substr(0, schemes.find(','));
    schemes.remove_prefix(std::min(schemes.size(), one.size() + 1));
    one.remove_prefix(std::min(one.size(), one.find_first_not_of(" \t")));
    one = one.substr(0, one.find_last_not_of(" \t") + 1);
    if (http_server::equal_ignoring_case(one, "http")) return true;
  }
  return false;
}

/// An address without the port that some proxies add, as in "192.0.2.7:51000" and
/// "[2001:db8::7]:51000": each connection has another one.
std::string_view without_port(std::string_view address) {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const std::size_t colon = address.find(':');
  return colon == address.rfind(':') ? address.substr(0, colon) : address;
}

/// The last address of X-Forwarded-For, the one that the proxy itself has seen: some proxies add it
/// to the field of the client, others as a field of its own behind that. Empty if there is none.
std::string forwarded_for(const Request& request) {
  constexpr std::size_t kLongestAddress = 45;  // an IPv6 address as text
  std::string_view last;
  for (const http_server::Header& header : request.headers) {
    if (http_server::equal_ignoring_case(header.name, "X-Forwarded-For")) last = header.value;
  }
  last.remove_prefix(std::min(last.find_last_of(", ") + 1, last.size()));
  last = without_port(last);
  return std::string(last.size() <= kLongestAddress ? last : "");
}

Record record_of(const Request& request, std::string peer) {
  Record record;
  record.request = request.id;
  record.peer = std::move(peer);
  record.method = request.method;
  return record;
}

/// Nothing if the caller may read metrics, which are those of the whole host.
std::optional<Response> refusal_of_metrics(const std::expected<Admission, Denial>& outcome) {
  if (!outcome) return refusal_of(outcome);
  if (std::ranges::find(outcome->rights, kMetricsRight) == outcome->rights.end()) {
    return plain_error(403, "this token lacks the right to metrics");
  }
  return std::nullopt;
}

Response no_token() {
  return with(plain_error(401, "a token is needed: send \"Authorization: Bearer <token>\""),
              "WWW-Authenticate: Bearer realm=\"quarry\"\r\n");
}

bool is_mcp_method(std::string_view method) {
  return method == "POST" || method == "GET" || method == "DELETE";
}

}  // namespace

Response plain_error(int status, std::string_view message) {
  Response response;
  response.status = status;
  response.body = R"({"error":")" + std::string(name_of(status)) + R"(","message":)" +
                  json_string(message) + "}";
  return response;
}

Surface::Surface(Catalogue& catalogue, Access& access, SurfaceOptions options)
    : catalogue_(catalogue),
      access_(access),
      options_(std::move(options)),
      methods_(catalogue),
      refusals_(access),
      traffic_(labels(options_.more), options_.metrics, options_.log) {}

Surface::~Surface() = default;

Surface::Route Surface::route_of(std::string_view path) const {
  const bool has_slash = path.ends_with('/');  // some clients add it
  if (path.substr(0, path.size() - (has_slash ? 1 : 0)) == options_.path) return Route::kMcp;
  if (path == "/livez") return Route::kLive;
  if (path == "/readyz" && options_.ready) return Route::kReady;
  if (path == "/metrics" && options_.show_metrics) return Route::kMetrics;
  if (options_.more != nullptr && options_.more->serves(path)) return Route::kMore;
  return Route::kNone;
}

bool Surface::is_proxy(std::string_view peer) const {
  return std::ranges::find(options_.proxies, peer) != options_.proxies.end();
}

Credentials Surface::credentials_of(const Request& request) const {
  std::string token(http_server::bearer_token(request.header("Authorization")));
  return {std::move(token),
          is_proxy(request.peer) ? forwarded_for(request) : std::string(request.peer)};
}

/// True if the request was unencrypted between machines: not through a proxy, or before one.
bool Surface::came_unencrypted(const Request& request) const {
  if (options_.proxies.empty()) return false;
  if (is_proxy(request.peer)) {
    return std::ranges::any_of(request.headers, [](const http_server::Header& header) {
      return http_server::equal_ignoring_case(header.name, "X-Forwarded-Proto") &&
             names_plain_http(header.value);
    });
  }
  return !http_server::Address{std::string(request.peer)}.is_loopback();
}

std::optional<Response> Surface::refusal(const Request& request) const {
  if (came_unencrypted(request)) {
    return plain_error(403, "this server must be used with https, through its proxy");
  }
  switch (options_.policy.check(request)) {
    case AccessPolicy::Verdict::kAllowed:
      break;
    case AccessPolicy::Verdict::kForeignHost:
      return plain_error(403,
                         "the name in the Host header is not one of this server: use its IP "
                         "address, or add the name to allowed_hosts");
    case AccessPolicy::Verdict::kForeignOrigin:
      return plain_error(403,
                         "pages of this origin may not use this server: add it to "
                         "allowed_origins");
  }
  const Route route = route_of(request.path);
  if (route == Route::kNone) {
    return plain_error(404, "unknown path: calls go to " + options_.path);
  }
  if (route == Route::kMcp) return check_call(request);
  if (route == Route::kMore) return check_more(request);
  if (request.method == "GET" || request.method == "HEAD") return std::nullopt;
  return with(plain_error(405, "only GET and HEAD are allowed here"), "Allow: GET, HEAD\r\n");
}

/// Checks a request to the MCP URL before its body is read and its token is verified.
std::optional<Response> Surface::check_call(const Request& request) const {
  if (request.method == "OPTIONS") {
    return with(Response::no_content(), "Allow: POST, GET, DELETE, OPTIONS\r\n");
  }
  const bool has_session = options_.sessions && !request.header("Mcp-Session-Id").empty() &&
                           !is_modern_version(request.header("MCP-Protocol-Version"));
  if (!is_mcp_method(request.method) || (request.method != "POST" && !has_session)) {
    return with(plain_error(405, "calls are sent with POST"), "Allow: POST\r\n");
  }
  if (http_server::bearer_token(request.header("Authorization")).empty()) return no_token();
  if (request.method != "POST") return std::nullopt;
  if (!http_server::is_media_type(request.header("Content-Type"), "application/json")) {
    return plain_error(415, "the body must be application/json");
  }
  const std::string accept = request.list("Accept");
  if (http_server::accepts(accept, "application/json") == http_server::Accepts::kNot &&
      http_server::accepts(accept, "text/event-stream") == http_server::Accepts::kNot) {
    return plain_error(406, "Accept must allow application/json or text/event-stream");
  }
  return std::nullopt;
}

bool Surface::needs_token(const Request& request) const {
  const Route route = route_of(request.path);
  return route == Route::kMcp ||
         (route == Route::kMore && options_.more->needs_token(request.path));
}

std::optional<Response> Surface::check_more(const Request& request) const {
  const bool has_token = !http_server::bearer_token(request.header("Authorization")).empty();
  if (needs_token(request) && !has_token) return no_token();
  return options_.more->refuse_early(request);
}

std::string Surface::cross_origin_headers(const Request& request) const {
  if (options_.policy.allowed_origins.empty()) return {};
  const std::string_view origin = request.header("Origin");
  if (!options_.policy.is_configured_origin(origin)) return "Vary: Origin\r\n";
  std::string lines = "Vary: Origin\r\nAccess-Control-Allow-Origin: " + std::string(origin) +
                      "\r\nAccess-Control-Expose-Headers: Mcp-Session-Id, X-Request-Id, "
                      "Retry-After, RateLimit, RateLimit-Policy\r\n";
  if (request.method != "OPTIONS") return lines;
  return lines +
         "Access-Control-Allow-Methods: POST, GET, DELETE\r\n"
         "Access-Control-Allow-Headers: Authorization, Content-Type, Accept, X-Project, "
         "X-Request-Id, traceparent, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, "
         "Mcp-Name\r\n"
         "Access-Control-Max-Age: 600\r\n";
}

void Surface::handle(const Request& request, Responder responder) {
  const auto* const admission = static_cast<const Admission*>(request.sender);
  if (admission == nullptr) {
    if (auto refused = refuse_early(request)) return responder.send(std::move(*refused));
  }
  const Route route = route_of(request.path);
  if (route == Route::kMore) return handle_more(request, std::move(responder));
  if (route != Route::kMcp) return probe(route, request, responder);
  const auto exchange = std::make_shared<Exchange>(*this, request, std::move(responder),
                                                   cross_origin_headers(request));
  admission == nullptr ? exchange->begin() : exchange->begin(*admission, request.body);
}

void Surface::handle_more(const Request& request, Responder responder) {
  Arrival arrival{std::move(responder), cross_origin_headers(request), credentials_of(request).peer,
                  traffic_, static_cast<std::size_t>(Route::kMore)};
  auto answer = options_.more->read(request);
  if (!needs_token(request)) return answer(nullptr, std::move(arrival));
  const auto admitted = [answer = std::move(answer), arrival](const Admission& admission) {
    Arrival counted = arrival;
    counted.headers += budget_lines(admission);
    answer(&admission, std::move(counted));
  };
  const auto* const admission = static_cast<const Admission*>(request.sender);
  if (admission != nullptr) return admitted(*admission);
  admit(request, [admitted, responder = arrival.responder](const auto& outcome) {
    if (!outcome) return responder.send(outcome.error());
    responder.post(
        [admitted, sender = *outcome] { admitted(*static_cast<const Admission*>(sender.get())); });
  });
}

/// The token is checked before the body is read: only bodies of valid tokens are held.
void Surface::admit(const Request& head, Admitted done) {
  if (!needs_token(head)) return done(Sender());
  Record record = record_of(head, credentials_of(head).peer);
  access_.admit(credentials_of(head), true,
                [this, record = std::move(record), headers = cross_origin_headers(head),
                 route = static_cast<std::size_t>(route_of(head.path)),
                 done = std::move(done)](std::expected<Admission, Denial> outcome) {
                  auto response = refusal_of(outcome);
                  if (!response)
                    return done(std::make_shared<const Admission>(std::move(*outcome)));
                  Record about = record;
                  if (outcome) about.principal = outcome->principal;
                  about.status = response->status;
                  refused(std::move(about));
                  traffic_.answered(route, response->status, nullptr);
                  response->headers += headers;
                  done(std::unexpected(std::move(*response)));
                });
}

std::optional<Response> Surface::refuse_early(const Request& head) {
  auto refused = refusal(head);
  if (!refused) return std::nullopt;
  const Route route = route_of(head.path);
  traffic_.answered(route == Route::kNone ? Traffic::kNoRoute : static_cast<std::size_t>(route),
                    refused->status, nullptr);
  refused->headers += cross_origin_headers(head);
  if (refused->status < 400) return refused;
  Record record = record_of(head, credentials_of(head).peer);
  record.status = refused->status;
  this->refused(std::move(record));
  return refused;
}

Response Surface::describe(const http_server::Refusal& refusal) {
  traffic_.answered(Traffic::kNoRoute, refusal.status, nullptr);
  Record record;
  record.request = refusal.request_id;
  record.peer = refusal.peer;
  record.status = refusal.status;
  refused(std::move(record));
  return plain_error(refusal.status, refusal.message);
}

bool Surface::tick() {
  for (const auto& stream : one_stream_per_listener()) stream->check_token();
  return refusals_.flush(std::chrono::steady_clock::now(), false);
}

void Surface::probe(Route route, const Request& request, const Responder& responder) {
  SurfaceOptions::Send send = [this, route, responder](Response response) {
    traffic_.answered(static_cast<std::size_t>(route), response.status, nullptr);
    responder.send(std::move(response));
  };
  if (route == Route::kReady) return options_.ready(std::move(send));
  if (route == Route::kMetrics) return show_metrics(request, std::move(send));
  send(with(Response::json(R"({"ok":true})"), cross_origin_headers(request)));
}

void Surface::show_metrics(const Request& request, SurfaceOptions::Send send) {
  const Credentials credentials = credentials_of(request);
  access_.admit(credentials, false,
                [this, send = std::move(send), record = record_of(request, credentials.peer)](
                    const std::expected<Admission, Denial>& outcome) mutable {
                  auto refusal = refusal_of_metrics(outcome);
                  if (!refusal) {
                    traffic_.publish();
                    return options_.show_metrics(send);
                  }
                  record.status = refusal->status;
                  if (outcome) record.principal = outcome->principal;
                  refused(std::move(record));
                  send(std::move(*refusal));
                });
}

void Surface::end_all() {
  running_.end_all();
  refusals_.flush(std::chrono::steady_clock::now(), true);
}

bool Surface::may_listen(const std::string& principal) {
  const std::lock_guard lock(mutex_);
  std::size_t& count = listening_[principal].count;
  if (count >= options_.most_listening) return false;
  ++count;
  return true;
}

void Surface::forget_listener(const std::string& principal) {
  const std::lock_guard lock(mutex_);
  const auto found = listening_.find(principal);
  if (--found->second.count == 0) listening_.erase(found);
}

void Surface::add_listener(const std::string& principal, const std::shared_ptr<Exchange>& stream) {
  const std::lock_guard lock(mutex_);
  auto& streams = listening_[principal].streams;
  std::erase_if(streams, [](const auto& one) { return one.expired(); });
  streams.push_back(stream);
}

std::vector<std::shared_ptr<Exchange>> Surface::one_stream_per_listener() {
  std::vector<std::shared_ptr<Exchange>> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [principal, listening] : listening_) {
    for (const auto& one : listening.streams) {
      if (auto stream = one.lock()) {
        all.push_back(std::move(stream));
        break;
      }
    }
  }
  return all;
}

void Surface::end_listeners(const std::string& principal) {
  std::vector<std::weak_ptr<Exchange>> streams;
  {
    const std::lock_guard lock(mutex_);
    const auto found = listening_.find(principal);
    if (found != listening_.end()) streams = found->second.streams;
  }
  for (const auto& one : streams) {
    if (const auto stream = one.lock()) stream->post([stream] { stream->end_listening(); });
  }
}

}  // namespace quarry::mcp
