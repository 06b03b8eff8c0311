#include "answers.h"

#include "follower.h"
#include "http_server/media_type.h"
#include "http_server/percent.h"
#include "http_server/surrogates.h"
#include "json_text.h"
#include "openapi.h"

#include <quarry/events.hpp>

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::rest {
namespace {

/// The response to POST /question: one object, composed from all of the question's events.
class WholeAnswer final : public Follower {
 public:
  using Follower::Follower;

 private:
  void begun(const std::string& id) override { id_ = id; }
  void visit(const quarry_event& event) override;
  void caught_up(bool ended) override;

  std::string id_;
  std::string meta_;
  std::string done_;
  std::string failure_;
};

using nlohmann::json;

void move_members(json& to, json& from, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto found = from.find(name); found != from.end()) to[name] = std::move(*found);
  }
}

/// Empty if the events violate the contract.
std::string compose(const std::string& id, const std::string& meta, const std::string& done) {
  json head = json::parse(meta, nullptr, false);
  json tail = json::parse(done, nullptr, false);
  if (!head.is_object() || !tail.is_object()) return {};
  json answer = json::object();
  answer["answer"] = tail.value("text", "");
  answer["id"] = id;
  move_members(answer, head, {"model", "resources", "collection", "thread", "turnsLeftOut"});
  move_members(answer, tail,
               {"model", "fallbacks", "citations", "usage", "metrics", "finishReason"});
  return dump(answer);
}

void WholeAnswer::visit(const quarry_event& event) {
  const auto type = event_named(as_view(event.type));
  if (type == EventType::kMeta) {
    meta_ = as_view(event.json);
  } else if (type == EventType::kDone) {
    done_ = as_view(event.json);
  } else if (type == EventType::kError) {
    failure_ = as_view(event.json);
  }
}

void WholeAnswer::caught_up(bool ended) {
  if (!ended) return;
  if (!failure_.empty()) return reply().send(error_response_of_event(failure_));
  http_server::Response response;
  response.body = compose(id_, meta_, done_);
  if (response.body.empty()) {
    response = error_response(500, "InternalError", "the question ended without an answer");
  }
  reply().send(std::move(response));
}

using engine_client::Outcome;
using http_server::is_media_type;
using http_server::percent_decoded;
using http_server::Request;
using http_server::Response;
using nlohmann::json;

bool brings_body(const Request& request) {
  return !request.body.empty() || !request.header("Transfer-Encoding").empty() ||
         (!request.header("Content-Length").empty() && request.header("Content-Length") != "0");
}

Response with_allow(Response response, const std::string& allow) {
  response.headers += "Allow: " + allow + "\r\n";
  return response;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
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
  return dump(made);
}

std::string params_of(const Request& request, const Match& match) {
  const Route& route = *match.route;
  const bool reads_path = route.action == Action::kCall;
  if (reads_path && (!match.variables.empty() || !route.query.empty())) {
    return parameters(request, match);
  }
  const bool wants_body =
      route.body == Body::kRequired || (route.body == Body::kIfGiven && !request.body.empty());
  return wants_body ? http_server::without_lone_surrogates(request.body) : "{}";
}

/// Adds a member to an object; other text stays. The text is not parsed: the engine does, which
/// refuses what is no JSON, is nested too deeply or has a member twice, such as one of this name.
void add_member(std::string& object, std::string_view name, std::string_view value) {
  constexpr const char* kSpace = " \t\r\n";
  const auto begin = object.find_first_not_of(kSpace);
  const auto end = object.find_last_not_of(kSpace);
  if (begin == std::string::npos || object[begin] != '{' || object[end] != '}') return;
  object.erase(end);
  if (object.find_last_not_of(kSpace) != begin) object += ',';
  object.append("\"").append(name).append("\":").append(value).append("}");
}

/// Adds the members "principal", "traceparent" and "request" (transport.h), where they are given.
/// Params that are no object stay: the engine refuses them.
void add_call_members(Wanted& wanted, const std::string& principal) {
  if (!principal.empty()) add_member(wanted.params, "principal", principal);
  if (!wanted.traceparent.empty()) {
    add_member(wanted.params, "traceparent", dump(wanted.traceparent));
  }
  if (!wanted.request.empty()) add_member(wanted.params, "request", dump(wanted.request));
}

/// True for routes of methods that take "traceparent" and "request".
bool is_traced(const Route& route) {
  return route.long_running || route.action == Action::kQuestion || route.action == Action::kStream;
}

}  // namespace

std::expected<Wanted, Response> read_wanted(const Request& request, const Match& match) {
  Wanted wanted;
  wanted.route = match.route;
  wanted.method = match.route->engine_method;
  wanted.params = params_of(request, match);
  if (is_traced(*match.route)) {
    wanted.traceparent = http_server::traceparent(request);
    wanted.request = request.id;
  }
  wanted.extended = request.parameter("events") == "extended";
  if (match.route->action == Action::kTool) wanted.method = "tools." + match.variables.front();
  if (match.route->action != Action::kEvents) return wanted;
  wanted.question = match.variables.front();
  std::string_view last = request.header("Last-Event-ID");
  if (last.empty()) last = request.parameter("after");
  const auto after = last.empty() ? std::optional<std::uint64_t>(0) : number(last);
  if (!after) {
    return std::unexpected(
        error_response(400, "RequestError", "the id of the last event seen must be a number",
                       "Give the id of the last event as Last-Event-ID or ?after=."));
  }
  wanted.after = *after;
  return wanted;
}

std::optional<Response> check_body(const Route& route, const Request& request) {
  const bool wanted = route.body == Body::kRequired || brings_body(request);
  if (!wanted || is_media_type(request.header("Content-Type"), "application/json"))
    return std::nullopt;
  return error_response(415, "UnsupportedMediaType",
                        "the body of this request must be application/json",
                        "Send the header \"Content-Type: application/json\".");
}

Response no_route(const Request& request, const Match& match) {
  const std::string path(request.path);
  if (match.allow.empty()) {
    return error_response(404, "NotFound", "unknown path " + path,
                          "See /openapi.json for all paths.");
  }
  if (request.method == "OPTIONS") {
    return with_allow(Response::no_content(), match.allow);
  }
  return with_allow(error_response(405, "MethodNotAllowed",
                                   path + " does not allow " + std::string(request.method),
                                   "It allows " + match.allow + "."),
                    match.allow);
}

Response response_of(Outcome outcome) {
  if (!outcome) return error_response(outcome.error());
  return Response::json(std::move(*outcome));
}

void Answers::answer(Wanted wanted, Reply reply, const std::string& principal) {
  add_call_members(wanted, principal);
  switch (wanted.route->action) {
    case Action::kQuestion:
      return std::make_shared<WholeAnswer>(calls_, std::move(reply))->ask(wanted.params);
    case Action::kStream:
      return std::make_shared<EventStream>(calls_, std::move(reply), rules_, wanted.extended)
          ->ask(wanted.params);
    case Action::kEvents:
      return events(wanted, std::move(reply), principal);
    case Action::kOpenApi:
      return openapi(std::move(reply));
    default:
      return pass_through(wanted, std::move(reply));
  }
}

void Answers::pass_through(const Wanted& wanted, Reply reply) {
  const auto handle = calls_.call(wanted.method, wanted.params, [reply](Outcome outcome) {
    reply.send(response_of(std::move(outcome)));
  });
  if (!wanted.route->long_running) return;
  reply.responder.on_closed([this, handle] { calls_.cancel(handle); });
}

void Answers::events(const Wanted& wanted, Reply reply, const std::string& principal) {
  if (principal.empty()) return follow(wanted, std::move(reply));
  json params{{"id", wanted.question}, {"principal", json::parse(principal)}};
  calls_.call("question.find", dump(params), [this, wanted, reply](const Outcome& found) {
    if (!found) return reply.send(error_response(found.error()));
    reply.responder.post([this, wanted, reply] { follow(wanted, reply); });
  });
}

void Answers::follow(const Wanted& wanted, Reply reply) {
  auto stream = std::make_shared<EventStream>(calls_, std::move(reply), rules_, wanted.extended);
  stream->hold_nothing();
  stream->follow(wanted.question, wanted.after);
}

void Answers::openapi(Reply reply) {
  calls_.call("schemas", "{}", [this, reply = std::move(reply)](Outcome schemas) {
    if (!schemas) return reply.send(response_of(std::move(schemas)));
    calls_.call("methods", "{}", [reply, schemas = std::move(*schemas)](const Outcome& methods) {
      // A host that does not describe its methods has the routes none the less.
      reply.send(Response::json(openapi_document(schemas, methods.value_or("{}"))));
    });
  });
}

}  // namespace quarry::rest
