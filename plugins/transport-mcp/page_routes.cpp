#include "page_routes.h"

#include "mcp_server/json.h"
#include "transport-rest/page.h"

#include <chrono>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using http_server::Request;
using http_server::Response;
using mcp::Admission;
using mcp::Arrival;
using mcp::Json;
using rest::Action;

constexpr std::string_view kApi = "/ui/api";

bool is_api(std::string_view path) {
  return path == kApi || path.starts_with(std::string(kApi) + "/");
}

std::set<std::string, std::less<>> methods_for_tokens(engine_client::EngineCalls& calls) {
  std::set<std::string, std::less<>> out;
  const Json described =
      Json::parse(calls.call_and_wait("methods", "{}").value_or("{}"), nullptr, false);
  if (!described.is_object()) return out;
  const Json methods = described.value("methods", Json::object());
  for (const auto& [name, method] : methods.items()) {
    if (method.contains("principal")) out.insert(name);
  }
  return out;
}

/// Writes the line of the audit about one request.
class AuditedRequest final : public rest::Observer {
 public:
  AuditedRequest(mcp::Access& access, mcp::Record record)
      : access_(access), record_(std::move(record)) {}

  void asked(const std::string& question) override { record_.question = question; }
  void answered(int status) override {
    record_.status = status;
    record_.took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin_);
    access_.record(record_);
  }

 private:
  mcp::Access& access_;
  mcp::Record record_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// What the page asks first: who the caller is.
Response description_of(const Admission& caller, const std::string& version) {
  return Response::json(mcp::dump({{"ok", true},
                                   {"service", "quarry"},
                                   {"version", version},
                                   {"project", caller.project},
                                   {"projects", caller.projects},
                                   {"rights", caller.rights}}));
}

std::string principal_json(const Admission& caller, const std::string& project) {
  Json principal{{"token", caller.principal}};
  if (!project.empty()) principal["project"] = project;
  return mcp::dump(principal);
}

}  // namespace

PageRoutes::PageRoutes(engine_client::EngineCalls& calls, mcp::Access& access, std::string version)
    : access_(access),
      version_(std::move(version)),
      methods_(methods_for_tokens(calls)),
      answers_(calls, {}) {}

bool PageRoutes::serves(std::string_view path) const {
  return path == "/" || path == "/ui" || path.starts_with("/ui/");
}

bool PageRoutes::needs_token(std::string_view path) const {
  return is_api(path);
}

bool PageRoutes::is_for_tokens(const rest::Route& route) const {
  switch (route.action) {
    case Action::kCall:
      return methods_.contains(route.engine_method);
    case Action::kService:
    case Action::kTool:
    case Action::kQuestion:
    case Action::kStream:
    case Action::kEvents:
    case Action::kOpenApi:
      return true;
    default:
      return false;
  }
}

rest::Match PageRoutes::find(const Request& request) const {
  const std::string_view path =
      request.path == kApi ? std::string_view("/") : request.path.substr(kApi.size());
  rest::Match match = rest::find_route(request.method, path);
  if (match.route != nullptr && !is_for_tokens(*match.route)) return {};
  return match;
}

std::optional<Response> PageRoutes::refuse_early(const Request& head) const {
  if (is_api(head.path)) {
    const rest::Match match = find(head);
    return match.route == nullptr ? rest::no_route(head, match)
                                  : rest::check_body(*match.route, head);
  }
  if (head.method != "GET" && head.method != "HEAD") {
    Response response = rest::error_response(405, "MethodNotAllowed", "the page is read with GET");
    response.headers = "Allow: GET, HEAD\r\n";
    return response;
  }
  if (head.path == "/" && !rest::wants_page(head)) {
    return rest::error_response(404, "NotFound", "unknown path /", "Calls go to /api/mcp.");
  }
  return std::nullopt;
}

PageRoutes::Answer PageRoutes::read(const Request& request) {
  if (!is_api(request.path)) {
    Response response = request.path == "/" ? rest::way_to_page()
                                            : rest::page_response(request, rest::kPageForTokens);
    return [response = std::move(response)](const Admission*, const Arrival& arrival) {
      rest::Reply{arrival.responder, arrival.headers, arrival.traffic, arrival.route}.send(
          response);
    };
  }
  const rest::Match match = find(request);
  auto wanted = rest::read_wanted(request, match);
  mcp::Record record;
  record.request = request.id;
  record.project = request.header("X-Project");
  record.method = request.method;
  record.tool = match.route->path;
  return [this, wanted = std::move(wanted), record = std::move(record)](const Admission* caller,
                                                                        Arrival arrival) mutable {
    record.principal = caller->principal;
    const std::string principal = principal_json(*caller, record.project);
    rest::Reply reply{std::move(arrival.responder), std::move(arrival.headers), arrival.traffic,
                      arrival.route};
    reply.observer = std::make_shared<AuditedRequest>(access_, std::move(record));
    if (!wanted) return reply.send(std::move(wanted.error()));
    if (wanted->route->action == Action::kService) {
      return reply.send(description_of(*caller, version_));
    }
    answers_.answer(std::move(*wanted), std::move(reply), principal);
  };
}

}  // namespace quarry::transport_mcp
