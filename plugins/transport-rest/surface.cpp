#include "surface.h"

#include "http_server/bearer.h"
#include "http_server/media_type.h"
#include "http_server/percent.h"
#include "openapi.h"
#include "page.h"
#include "whole_answer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::rest {
namespace {

using engine_client::Outcome;
using http_server::AccessPolicy;
using http_server::is_media_type;
using http_server::percent_decoded;
using http_server::Request;
using http_server::Response;
using http_server::Traffic;
using nlohmann::json;

bool brings_body(const Request& request) {
  return !request.body.empty() || !request.header("Transfer-Encoding").empty() ||
         (!request.header("Content-Length").empty() && request.header("Content-Length") != "0");
}

/// Requires application/json, which a form of another site cannot post.
std::optional<Response> check_body(const Route& route, const Request& request) {
  const bool wanted = route.body == Body::kRequired || brings_body(request);
  if (!wanted || is_media_type(request.header("Content-Type"), "application/json"))
    return std::nullopt;
  return error_response(415, "UnsupportedMediaType",
                        "the body of this request must be application/json",
                        "Send the header \"Content-Type: application/json\".");
}

Response with_allow(Response response, const std::string& allow) {
  response.headers += "Allow: " + allow + "\r\n";
  return response;
}

Response no_route(const Request& request, const Match& match) {
  const std::string path(request.path);
  if (match.allow.empty()) {
    return error_response(404, "NotFound", "unknown path " + path,
                          "See /openapi.json for all paths.");
  }
  if (request.method == "OPTIONS") {
    Response response;
    response.status = 204;
    response.content_type = {};
    return with_allow(std::move(response), match.allow);
  }
  return with_allow(error_response(405, "MethodNotAllowed",
                                   path + " does not allow " + std::string(request.method),
                                   "It allows " + match.allow + "."),
                    match.allow);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string service_body(const std::string& version) {
  return json{{"ok", true}, {"service", "quarry"}, {"version", version}}.dump();
}

/// The member of the engine's parameters for a text of the request. What should be a number and is
/// none stays a text, which the engine refuses.
json member(std::string_view name, const std::string& text) {
  if (const auto value = is_number(name) ? number(text) : std::nullopt) return *value;
  return text;
}

/// The parameters for the engine from path and query.
std::string parameters(const Request& request, const Match& match) {
  json made = json::object();
  const auto names = variables_of(*match.route);
  for (std::size_t i = 0; i < names.size(); ++i) {
    made[std::string(names[i])] = member(names[i], match.variables[i]);
  }
  for (const std::string_view name : match.route->query) {
    const std::string_view value = request.parameter(name);
    if (value.empty()) continue;
    made[std::string(name)] = member(name, percent_decoded(value).value_or(std::string(value)));
  }
  return made.dump(-1, ' ', false, json::error_handler_t::replace);
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

Response response_of(Outcome outcome) {
  if (!outcome) return error_response(outcome.error());
  return Response::json(std::move(*outcome));
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

bool is_extended(const Request& request) {
  return request.parameter("events") == "extended";
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
        "Access-Control-Allow-Headers: Authorization, Content-Type, Last-Event-ID, X-Request-Id\r\n"
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
    case Action::kCall:
    case Action::kTool:
      return pass_through(request, match, std::move(reply));
    case Action::kService:
      return reply.send(is_about_page(request, *match.route) ? way_to_page()
                                                             : service_response(service_));
    case Action::kPage:
      return reply.send(page_response(request));
    case Action::kLive:
      return reply.send(Response::json(R"({"ok":true})"));
    case Action::kReady:
      return ready(std::move(reply));
    case Action::kMetrics:
      return metrics(std::move(reply));
    case Action::kOpenApi:
      return openapi(std::move(reply));
    case Action::kQuestion:
      return std::make_shared<WholeAnswer>(calls_, std::move(reply))->ask(request.body);
    case Action::kStream:
      return std::make_shared<EventStream>(calls_, std::move(reply), options_.stream,
                                           is_extended(request))
          ->ask(request.body);
    case Action::kEvents:
      return events(request, match, std::move(reply));
  }
}

void Surface::pass_through(const Request& request, const Match& match, Reply reply) {
  const Route& route = *match.route;
  const bool is_tool = route.action == Action::kTool;
  const std::string method =
      is_tool ? "tools." + match.variables.front() : std::string(route.engine_method);
  std::string made;
  std::string_view params = "{}";
  if (!is_tool && (!match.variables.empty() || !route.query.empty())) {
    params = made = parameters(request, match);
  } else if (is_tool || route.body == Body::kRequired ||
             (route.body == Body::kIfGiven && !request.body.empty())) {
    params = request.body;
  }
  const auto handle = calls_.call(
      method, params, [reply](Outcome outcome) { reply.send(response_of(std::move(outcome))); });
  if (!route.long_running) return;
  reply.responder.on_closed([this, handle] { calls_.cancel(handle); });
}

void Surface::events(const Request& request, const Match& match, Reply reply) {
  std::string_view last = request.header("Last-Event-ID");
  if (last.empty()) last = request.parameter("after");
  const auto after = last.empty() ? std::optional<std::uint64_t>(0) : number(last);
  if (!after) {
    return reply.send(error_response(400, "RequestError",
                                     "the id of the last event seen must be a number",
                                     "Give the id of the last event as Last-Event-ID or ?after=."));
  }
  auto stream = std::make_shared<EventStream>(calls_, std::move(reply), options_.stream,
                                              is_extended(request));
  stream->hold_nothing();
  stream->follow(match.variables.front(), *after);
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
      response.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
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

void Surface::openapi(Reply reply) {
  calls_.call("schemas", "{}", [this, reply = std::move(reply)](Outcome schemas) {
    if (!schemas) return reply.send(response_of(std::move(schemas)));
    calls_.call("methods", "{}", [reply, schemas = std::move(*schemas)](const Outcome& methods) {
      // A host that does not describe its methods has the routes none the less.
      reply.send(Response::json(openapi_document(schemas, methods.value_or("{}"))));
    });
  });
}

}  // namespace quarry::rest
