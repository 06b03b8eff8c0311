#include "routes.h"

#include "http_server/percent.h"

#include <array>
#include <optional>

namespace quarry::rest {
namespace {

constexpr std::array<std::string_view, 2> kUsageQuery{"since", "by"};

constexpr std::array kRoutes = std::to_array<Route>({
    {"GET", "/", Action::kService, {}, Body::kNone, {}, "Names the service and its version"},
    {"GET", "/config", Action::kCall, "config.show", Body::kNone, {}, "Shows the configuration"},
    {"GET", "/resources", Action::kCall, "resources.list", Body::kNone, {}, "Lists resources"},
    {"POST", "/config/resources", Action::kCall, "resources.add", Body::kRequired, "resource",
     "Adds a resource"},
    {"POST",
     "/recognise",
     Action::kCall,
     "resources.recognise",
     Body::kRequired,
     {},
     "Reads a reference as a resource, without adding it"},
    {"DELETE",
     "/config/resources",
     Action::kCall,
     "resources.remove",
     Body::kRequired,
     {},
     "Removes a resource"},
    {"DELETE",
     "/config/resources/{name}",
     Action::kCall,
     "resources.remove",
     Body::kOptional,
     {},
     "Removes a resource"},
    {"GET",
     "/providers",
     Action::kCall,
     "models.list",
     Body::kNone,
     {},
     "Lists providers and their models"},
    {"PUT",
     "/config/model",
     Action::kCall,
     "models.select",
     Body::kRequired,
     {},
     "Selects the model"},
    {"POST",
     "/question",
     Action::kQuestion,
     {},
     Body::kRequired,
     "question",
     "Asks a question and answers when it is done"},
    {"POST",
     "/question/stream",
     Action::kStream,
     {},
     Body::kRequired,
     "question",
     "Asks a question and streams its events"},
    {"GET",
     "/question/{id}/events",
     Action::kEvents,
     {},
     Body::kNone,
     {},
     "Streams a question's events again"},
    {"POST",
     "/question/{id}/stop",
     Action::kCall,
     "question.stop",
     Body::kOptional,
     {},
     "Stops a question"},
    {"POST",
     "/reload-config",
     Action::kCall,
     "config.reload",
     Body::kOptional,
     {},
     "Reads configuration and plugins again"},
    {"POST",
     "/plugins/reload",
     Action::kCall,
     "plugins.reload",
     Body::kOptional,
     {},
     "Reads configuration and plugins again; tells what changed"},
    {"POST",
     "/clear",
     Action::kCall,
     "cache.clear",
     Body::kIfGiven,
     {},
     "Removes cached snapshots, or those of one resource"},
    {"POST",
     "/sync",
     Action::kCall,
     "resources.sync",
     Body::kIfGiven,
     {},
     "Checks the sources of all resources, or of one, for updates",
     {},
     true},
    {"GET", "/tools", Action::kCall, "tools", Body::kNone, {}, "Describes the retrieval tools"},
    {"POST",
     "/tools/{name}",
     Action::kTool,
     {},
     Body::kRequired,
     {},
     "Calls a retrieval tool",
     {},
     true},
    {"GET",
     "/resources/{name}",
     Action::kCall,
     "resources.show",
     Body::kNone,
     {},
     "Shows a resource, and what rules leave out of its folder",
     {},
     true},
    {"GET",
     "/threads",
     Action::kCall,
     "threads.list",
     Body::kNone,
     {},
     "Lists the stored conversations"},
    {"GET",
     "/threads/{id}",
     Action::kCall,
     "threads.show",
     Body::kNone,
     {},
     "Shows a conversation"},
    {"DELETE",
     "/threads/{id}",
     Action::kCall,
     "threads.remove",
     Body::kOptional,
     {},
     "Removes a conversation"},
    {"GET",
     "/usage",
     Action::kCall,
     "usage.report",
     Body::kNone,
     {},
     "Sums up what questions used and cost",
     kUsageQuery},
    {"GET", "/openapi.json", Action::kOpenApi, {}, Body::kNone, {}, "Describes this interface"},
    {"GET", "/livez", Action::kLive, {}, Body::kNone, {}, "Reports that the process serves"},
    {"GET", "/readyz", Action::kReady, {}, Body::kNone, {}, "Reports if questions can be asked"},
    {"GET", "/metrics", Action::kMetrics, {}, Body::kNone, {}, "Numbers for Prometheus"},
});

/// The variable's text if `path` matches `pattern`; an empty text if the pattern has no variable.
std::optional<std::string_view> fit(std::string_view pattern, std::string_view path) {
  const std::size_t open = pattern.find('{');
  if (open == pattern.npos) {
    return pattern == path ? std::optional(std::string_view()) : std::nullopt;
  }
  const std::string_view head = pattern.substr(0, open);
  const std::string_view tail = pattern.substr(pattern.find('}') + 1);
  if (!path.starts_with(head) || !path.ends_with(tail)) return std::nullopt;
  if (path.size() <= head.size() + tail.size()) return std::nullopt;
  const std::string_view value = path.substr(head.size(), path.size() - head.size() - tail.size());
  // Names of resources have slashes ("@scope/name"); ids of questions do not.
  if (!tail.empty() && value.find('/') != value.npos) return std::nullopt;
  return value;
}

bool serves(const Route& route, std::string_view method) {
  return route.method == method ||
         (method == "HEAD" && route.method == "GET" && route.action != Action::kEvents);
}

void add_method(std::string& allow, std::string_view method) {
  if (!allow.empty()) allow += ", ";
  allow += method;
}

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

std::string_view variable_of(const Route& route) {
  const std::size_t open = route.path.find('{');
  if (open == route.path.npos) return {};
  return route.path.substr(open + 1, route.path.find('}') - open - 1);
}

Match find_route(std::string_view method, std::string_view path) {
  Match match;
  for (const Route& route : kRoutes) {
    const auto value = fit(route.path, path);
    if (!value) continue;
    auto decoded = http_server::percent_decoded(*value);
    if (!decoded) continue;
    if (serves(route, method)) {
      match.route = &route;
      match.variable = std::move(*decoded);
      return match;
    }
    add_method(match.allow, route.method);
    if (serves(route, "HEAD")) add_method(match.allow, "HEAD");
  }
  if (!match.allow.empty()) add_method(match.allow, "OPTIONS");
  return match;
}

}  // namespace quarry::rest
