#include "surface.h"

#include "exchange.h"
#include "http_server/bearer.h"
#include "http_server/media_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::mcp {
namespace {

using http_server::AccessPolicy;
using http_server::Request;
using http_server::Responder;
using http_server::Response;
using http_server::Traffic;

// The rows of the counts.
constexpr std::array kPaths = {"mcp", "/livez", "/readyz", "/metrics"};

std::vector<std::string> labels() {
  std::vector<std::string> all;
  for (const char* path : kPaths) all.push_back("route=\"" + std::string(path) + '"');
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
      traffic_(labels(), options_.metrics, options_.log) {}

Surface::~Surface() = default;

Surface::Route Surface::route_of(std::string_view path) const {
  if (path == options_.path) return Route::kMcp;
  if (path == "/livez") return Route::kLive;
  if (path == "/readyz" && options_.ready) return Route::kReady;
  if (path == "/metrics" && options_.show_metrics) return Route::kMetrics;
  return Route::kNone;
}

/// Whether the request was in the clear between machines: past the proxies, or before one of them.
bool Surface::came_unsealed(const Request& request) const {
  if (options_.proxies.empty()) return false;
  if (std::ranges::find(options_.proxies, request.peer) != options_.proxies.end()) {
    return http_server::equal_ignoring_case(request.header("X-Forwarded-Proto"), "http");
  }
  return !http_server::Address{std::string(request.peer)}.is_loopback();
}

std::optional<Response> Surface::refusal(const Request& request) const {
  if (came_unsealed(request)) {
    return plain_error(403, "this server is used with https, through its proxy");
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
    return plain_error(404, "there is nothing here: calls go to " + options_.path);
  }
  if (route == Route::kMcp) return check_call(request);
  if (request.method == "GET" || request.method == "HEAD") return std::nullopt;
  return with(plain_error(405, "only GET is served here"), "Allow: GET, HEAD\r\n");
}

/// What can be told of a request to the one URL before its body and without the token's owner.
std::optional<Response> Surface::check_call(const Request& request) const {
  if (request.method == "OPTIONS") {
    Response response;
    response.status = 204;
    response.content_type = {};
    return with(std::move(response), "Allow: POST, GET, DELETE, OPTIONS\r\n");
  }
  const bool has_session = options_.sessions && !request.header("Mcp-Session-Id").empty() &&
                           !is_modern_version(request.header("MCP-Protocol-Version"));
  if (!is_mcp_method(request.method) || (request.method != "POST" && !has_session)) {
    return with(plain_error(405, "calls are sent with POST"), "Allow: POST\r\n");
  }
  if (http_server::bearer_token(request.header("Authorization")).empty()) {
    return with(plain_error(401, "a token is needed: send \"Authorization: Bearer <token>\""),
                "WWW-Authenticate: Bearer realm=\"quarry\"\r\n");
  }
  if (request.method != "POST") return std::nullopt;
  if (!http_server::is_media_type(request.header("Content-Type"), "application/json")) {
    return plain_error(415, "the body must be application/json");
  }
  const std::string_view accept = request.header("Accept");
  if (http_server::accepts(accept, "application/json") == http_server::Accepts::kNot &&
      http_server::accepts(accept, "text/event-stream") == http_server::Accepts::kNot) {
    return plain_error(406, "answers are application/json or text/event-stream");
  }
  return std::nullopt;
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
         "X-Request-Id, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name\r\n"
         "Access-Control-Max-Age: 600\r\n";
}

void Surface::handle(const Request& request, Responder responder) {
  if (auto refused = refuse_early(request)) return responder.send(std::move(*refused));
  const Route route = route_of(request.path);
  if (route != Route::kMcp) return probe(route, request, std::move(responder));
  std::make_shared<Exchange>(*this, request, std::move(responder), cross_origin_headers(request))
      ->begin();
}

std::optional<Response> Surface::refuse_early(const Request& head) {
  auto refused = refusal(head);
  if (!refused) return std::nullopt;
  const Route route = route_of(head.path);
  traffic_.answered(route == Route::kNone ? Traffic::kNoRoute : static_cast<std::size_t>(route),
                    refused->status, nullptr);
  refused->headers += cross_origin_headers(head);
  return refused;
}

Response Surface::describe(const http_server::Refusal& refusal) {
  traffic_.answered(Traffic::kNoRoute, refusal.status, nullptr);
  return plain_error(refusal.status, refusal.message);
}

void Surface::probe(Route route, const Request& request, Responder responder) {
  traffic_.answered(static_cast<std::size_t>(route), 200, nullptr);
  if (route == Route::kReady) return options_.ready(std::move(responder));
  if (route == Route::kLive) {
    return responder.send(with(Response::json(R"({"ok":true})"), cross_origin_headers(request)));
  }
  const std::string token(http_server::bearer_token(request.header("Authorization")));
  access_.admit(token, false, [this, responder](const std::expected<Admission, Denial>& outcome) {
    if (!outcome) return responder.send(plain_error(401, "a valid token is needed"));
    traffic_.publish();
    options_.show_metrics(responder);
  });
}

void Surface::end_all() {
  running_.end_all();
}

bool Surface::may_listen(const std::string& principal) {
  const std::lock_guard lock(mutex_);
  std::size_t& count = listening_[principal];
  if (count >= options_.most_listening) return false;
  ++count;
  return true;
}

void Surface::forget_listener(const std::string& principal) {
  const std::lock_guard lock(mutex_);
  const auto found = listening_.find(principal);
  if (--found->second == 0) listening_.erase(found);
}

}  // namespace quarry::mcp
