#include "routes.h"

#include "http_server/percent.h"

#include <algorithm>
#include <array>
#include <optional>

namespace quarry::rest {
namespace {

constexpr std::array<std::string_view, 0> kNoQuery{};
constexpr std::array<std::string_view, 2> kUsageQuery{"since", "by"};
constexpr std::array<std::string_view, 1> kThreadsQuery{"q"};
constexpr std::array<std::string_view, 2> kLinesQuery{"startLine", "endLine"};

constexpr std::array kRoutes = std::to_array<Route>({
    {"GET", "/", Action::kService, "", Body::kNone, "Names the service and its version"},
    {"GET", "/config", Action::kCall, "config.show", Body::kNone, "Shows the configuration"},
    {"GET", "/resources", Action::kCall, "resources.list", Body::kNone, "Lists resources"},
    {"POST", "/config/resources", Action::kCall, "resources.add", Body::kRequired,
     "Adds a resource", kNoQuery, false, "resource"},
    {"POST", "/recognise", Action::kCall, "resources.recognise", Body::kRequired,
     "Reads a reference as a resource, without adding it"},
    {"DELETE", "/config/resources", Action::kCall, "resources.remove", Body::kRequired,
     "Removes a resource"},
    {"DELETE", "/config/resources/{name}", Action::kCall, "resources.remove", Body::kOptional,
     "Removes a resource"},
    {"GET", "/providers", Action::kCall, "models.list", Body::kNone,
     "Lists providers and their models"},
    {"PUT", "/config/model", Action::kCall, "models.select", Body::kRequired, "Selects the model"},
    {"POST", "/question", Action::kQuestion, "", Body::kRequired,
     "Asks a question and answers when it is done", kNoQuery, false, "question"},
    {"POST", "/question/stream", Action::kStream, "", Body::kRequired,
     "Asks a question and streams its events", kNoQuery, false, "question"},
    {"GET", "/question/{id}/events", Action::kEvents, "", Body::kNone,
     "Streams a question's events again"},
    {"POST", "/question/{id}/stop", Action::kCall, "question.stop", Body::kOptional,
     "Stops a question"},
    {"GET", "/question/{id}/sources/{number}", Action::kCall, "question.source", Body::kNone,
     "Shows the lines that an answer cites"},
    {"POST", "/reload-config", Action::kCall, "config.reload", Body::kOptional,
     "Reads configuration and plugins again"},
    {"POST", "/plugins/reload", Action::kCall, "plugins.reload", Body::kOptional,
     "Reads configuration and plugins again; tells what changed"},
    {"POST", "/clear", Action::kCall, "cache.clear", Body::kIfGiven,
     "Removes cached snapshots, or those of one resource"},
    {"POST", "/sync", Action::kCall, "resources.sync", Body::kIfGiven,
     "Checks the sources of all resources, or of one, for updates", kNoQuery, true},
    {"GET", "/tools", Action::kCall, "tools", Body::kNone, "Describes the retrieval tools"},
    {"POST", "/tools/{name}", Action::kTool, "", Body::kRequired, "Calls a retrieval tool",
     kNoQuery, true},
    {"GET", "/snapshots", Action::kCall, "resources.kept", Body::kNone,
     "Lists what is kept of resources"},
    {"GET", "/resources/{name}/files/{path}", Action::kCall, "resources.file", Body::kNone,
     "Reads lines of a file", kLinesQuery, true},
    {"GET", "/resources/{name}", Action::kCall, "resources.show", Body::kNone,
     "Shows a resource, and what rules leave out of its folder", kNoQuery, true},
    {"GET", "/threads", Action::kCall, "threads.list", Body::kNone,
     "Lists the stored conversations, or those that have words", kThreadsQuery},
    {"GET", "/threads/{id}", Action::kCall, "threads.show", Body::kNone, "Shows a conversation"},
    {"PUT", "/threads", Action::kCall, "threads.rename", Body::kRequired,
     "Gives a conversation another title"},
    {"DELETE", "/threads/{id}", Action::kCall, "threads.remove", Body::kOptional,
     "Removes a conversation"},
    {"GET", "/usage", Action::kCall, "usage.report", Body::kNone,
     "Sums up what questions used and cost", kUsageQuery},
    {"GET", "/state", Action::kCall, "host.state", Body::kNone, "Shows plugins and sizes"},
    {"GET", "/openapi.json", Action::kOpenApi, "", Body::kNone, "Describes this interface"},
    {"GET", "/ui", Action::kPage, "", Body::kNone, "Leads to the page"},
    {"GET", "/ui/", Action::kPage, "", Body::kNone, "The page for a browser"},
    {"GET", "/ui/{file}", Action::kPage, "", Body::kNone, "A file of the page"},
    {"GET", "/livez", Action::kLive, "", Body::kNone, "Reports that the process serves"},
    {"GET", "/readyz", Action::kReady, "", Body::kNone, "Reports if questions can be asked"},
    {"GET", "/metrics", Action::kMetrics, "", Body::kNone, "Numbers for Prometheus"},
});

/// The end of a variable in `path`, which `literal` follows, and if `goes_on` another variable.
std::size_t end_of_variable(std::string_view path, std::string_view literal, bool goes_on) {
  if (goes_on) return path.find(literal);
  return path.ends_with(literal) ? path.size() - literal.size() : path.npos;
}

/// The texts of the variables if `path` matches `pattern`.
std::optional<std::vector<std::string_view>> fit(std::string_view pattern, std::string_view path) {
  std::vector<std::string_view> values;
  for (;;) {
    const std::size_t open = pattern.find('{');
    const std::string_view head = pattern.substr(0, open);
    if (!path.starts_with(head)) return std::nullopt;
    path.remove_prefix(head.size());
    if (open == pattern.npos) return path.empty() ? std::optional(values) : std::nullopt;
    const std::size_t close = pattern.find('}');
    const std::string_view name = pattern.substr(open + 1, close - open - 1);
    pattern.remove_prefix(close + 1);
    const std::string_view literal = pattern.substr(0, pattern.find('{'));
    const std::size_t end = end_of_variable(path, literal, literal.size() < pattern.size());
    if (end == path.npos || end == 0) return std::nullopt;
    const std::string_view value = path.substr(0, end);
    // Names of resources have slashes ("@scope/name"); ids of questions do not.
    if (!literal.empty() && name != "name" && value.find('/') != value.npos) return std::nullopt;
    values.push_back(value);
    path.remove_prefix(end);
  }
}

/// Nothing if one of them is not percent-encoded correctly.
std::optional<std::vector<std::string>> decoded(const std::vector<std::string_view>& values) {
  std::vector<std::string> out;
  for (const std::string_view value : values) {
    auto text = http_server::percent_decoded(value);
    if (!text) return std::nullopt;
    out.push_back(std::move(*text));
  }
  return out;
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

std::vector<std::string_view> variables_of(const Route& route) {
  std::vector<std::string_view> names;
  std::string_view rest = route.path;
  for (std::size_t open; (open = rest.find('{')) != rest.npos;) {
    const std::size_t close = rest.find('}');
    names.push_back(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
  return names;
}

bool is_number(std::string_view name) {
  return name == "number" || std::ranges::find(kLinesQuery, name) != kLinesQuery.end();
}

Match find_route(std::string_view method, std::string_view path) {
  Match match;
  for (const Route& route : kRoutes) {
    const auto values = fit(route.path, path);
    if (!values) continue;
    auto variables = decoded(*values);
    if (!variables) continue;
    if (serves(route, method)) {
      match.route = &route;
      match.variables = std::move(*variables);
      return match;
    }
    add_method(match.allow, route.method);
    if (serves(route, "HEAD")) add_method(match.allow, "HEAD");
  }
  if (!match.allow.empty()) add_method(match.allow, "OPTIONS");
  return match;
}

}  // namespace quarry::rest
