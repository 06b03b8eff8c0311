#include "surface.h"

#include "http_server/bearer.h"
#include "json_text.h"
#include "page.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::rest {
namespace {

using engine_client::Outcome;
using http_server::AccessPolicy;
using http_server::Request;
using http_server::Response;
using http_server::Traffic;
using nlohmann::json;

std::string service_body(const std::string& version) {
  return json{{"ok", true}, {"service", "quarry"}, {"version", version}}.dump();
}

/// True if the request gets the page, or the way to it: its files need no token, because they hold
/// no data.
bool is_about_page(const Request& request, const Route& route) {
  return route.action == Action::kPage ||
         (route.action == Action::kService && !page_files().empty() && wants_page(request));
}

Response service_response(const std::string& body) {
  Response response = Response::json(body);
  response.headers = "Vary: Accept\r\n";
  return response;
}

std::vector<std::string> labels_of_routes() {
  std::vector<std::string> labels;
  for (const Route& route : routes()) {
    labels.push_back("method=\"" + std::string(route.method) + "\",route=\"" +
                     std::string(route.path) + '"');
  }
  return labels;
}

std::size_t place_of(const Route* route) {
  return route == nullptr ? Traffic::kNoRoute : static_cast<std::size_t>(route - routes().data());
}

}  // namespace

/// The route of an admitted request, or the response that refuses it.
struct Surface::Admission {
  Match match;
  std::optional<Response> refusal;
};

Surface::Surface(engine_client::EngineCalls& calls, SurfaceOptions options)
    : calls_(calls),
      options_(std::move(options)),
      answers_(calls, options_.stream),
      service_(service_body(options_.version)),
      traffic_(labels_of_routes(), options_.metrics, options_.log) {}

Surface::Admission Surface::admission_of(const Request& request) const {
  if (auto refusal = check_access(request)) return {{}, std::move(refusal)};
  Match match = find_route(request.method, request.path);
  const bool open_to_all = match.route != nullptr && (match.route->action == Action::kLive ||
                                                      is_about_page(request, *match.route));
  if (!open_to_all && request.method != "OPTIONS" &&
      !knows_token(request.header("Authorization"))) {
    Response response = error_response(401, "Unauthorized", "a valid token is needed",
                                       "Send \"Authorization: Bearer <token>\".");
    response.headers = "WWW-Authenticate: Bearer\r\n";
    return {{}, std::move(response)};
  }
  if (match.route == nullptr) return {{}, no_route(request, match)};
  auto refusal = check_body(*match.route, request);
  return {std::move(match), std::move(refusal)};
}

std::optional<Response> Surface::check_access(const Request& request) const {
  switch (options_.policy.check(request)) {
    case AccessPolicy::Verdict::kAllowed:
      return std::nullopt;
    case AccessPolicy::Verdict::kForeignHost:
      return error_response(403, "Forbidden",
                            "the name in the Host header is not one of this server",
                            "Use its IP address or localhost, or add the name to allowed_hosts.");
    case AccessPolicy::Verdict::kForeignOrigin:
      return error_response(403, "Forbidden", "pages of this origin may not use this server",
                            "Add the origin to allowed_origins.");
  }
  return std::nullopt;
}

bool Surface::knows_token(std::string_view authorization) const {
  if (options_.token.empty()) return true;
  return http_server::equal_in_constant_time(options_.token,
                                             http_server::bearer_token(authorization));
}

std::string Surface::cross_origin_headers(const Request& request) const {
  if (options_.policy.allowed_origins.empty()) return {};
  const std::string_view origin = request.header("Origin");
  if (!options_.policy.is_configured_origin(origin)) return "Vary: Origin\r\n";
  std::string lines = "Vary: Origin\r\nAccess-Control-Allow-Origin: " + std::string(origin) +
                      "\r\nAccess-Control-Expose-Headers: X-Request-Id\r\n";
  if (request.method == "OPTIONS") {
    lines +=
        "Access-Control-Allow-Methods: GET, HEAD, POST, PUT, DELETE\r\n"
        "Access-Control-Allow-Headers: Authorization, Content-Type, Last-Event-ID, traceparent, "
        "X-Request-Id\r\n"
        "Access-Control-Max-Age: 600\r\n";
  }
  return lines;
}

void Surface::handle(const Request& request, http_server::Responder responder) {
  Admission admission = admission_of(request);
  Reply reply{std::move(responder), cross_origin_headers(request), traffic_,
              place_of(admission.match.route), line_about(request)};
  if (admission.refusal) return reply.send(std::move(*admission.refusal));
  answer(request, admission.match, std::move(reply));
}

std::shared_ptr<const Traffic::Line> Surface::line_about(const Request& request) const {
  if (!traffic_.wants_lines()) return nullptr;
  return std::make_shared<Traffic::Line>(Traffic::Line{
      std::string(request.method), std::string(request.path), std::string(request.id)});
}

std::optional<Response> Surface::refuse_early(const Request& head) {
  Admission admission = admission_of(head);
  if (!admission.refusal) return std::nullopt;
  traffic_.answered(place_of(admission.match.route), admission.refusal->status,
                    line_about(head).get());
  admission.refusal->headers += cross_origin_headers(head);
  return std::move(admission.refusal);
}

Response Surface::describe(const http_server::Refusal& refusal) {
  std::string_view tag = "RequestError";
  if (refusal.status == 408) tag = "RequestTimeout";
  if (refusal.status == 413) tag = "PayloadTooLarge";
  if (refusal.status == 503) tag = "Unavailable";
  traffic_.answered(Traffic::kNoRoute, refusal.status, nullptr);
  return error_response(refusal.status, tag, refusal.message, refusal.hint);
}

void Surface::answer(const Request& request, const Match& match, Reply reply) {
  switch (match.route->action) {
    case Action::kService:
      return reply.send(is_about_page(request, *match.route) ? way_to_page()
                                                             : service_response(service_));
    case Action::kPage:
      return reply.send(page_response(request, kPageForOwner));
    case Action::kLive:
      return reply.send(Response::json(R"({"ok":true})"));
    case Action::kReady:
      return ready(std::move(reply));
    case Action::kMetrics:
      return metrics(std::move(reply));
    default:
      break;
  }
  auto wanted = read_wanted(request, match);
  if (!wanted) return reply.send(std::move(wanted.error()));
  answers_.answer(std::move(*wanted), std::move(reply));
}

void Surface::ready(Reply reply) {
  calls_.call("health", "{}", [reply = std::move(reply)](Outcome outcome) {
    Response response = response_of(std::move(outcome));
    const json health = json::parse(response.body, nullptr, false);
    const bool is_ready = health.is_object() && health.value("ready", json(false)) == true;
    if (response.status == 200 && !is_ready) {
      response = error_response(503, "Unavailable", "questions cannot be asked yet");
      json body = json::parse(response.body);
      if (health.is_object() && health.contains("problems")) body["problems"] = health["problems"];
      response.body = dump(body);
    }
    reply.send(std::move(response));
  });
}

void Surface::metrics(Reply reply) {
  traffic_.publish();
  calls_.call("metrics", "{}", [reply = std::move(reply)](Outcome outcome) {
    Response response = response_of(std::move(outcome));
    if (response.status == 200) {
      const json value = json::parse(response.body, nullptr, false);
      response.body = value.is_object() ? value.value("text", "") : std::string();
      response.content_type = "text/plain; version=0.0.4";
    }
    reply.send(std::move(response));
  });
}

}  // namespace quarry::rest
