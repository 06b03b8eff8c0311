#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::rest {

/// Handler of a route.
enum class Action {
  kCall,     // the engine's value, unchanged
  kTool,     // the same, of a method of the retrieval tools
  kService,  // name and version
  kLive,     // without the engine
  kReady,
  kMetrics,
  kOpenApi,
  kQuestion,
  kStream,
  kEvents,
  kPage,  // a file of the page, or the way to it
};

/// Use of the request's body.
enum class Body {
  kNone,      // none is read
  kOptional,  // ignored
  kRequired,  // JSON, passed to the engine unchanged
  kIfGiven,   // the same, if there is a body
};

/// One route of docs/http-api.md.
struct Route {
  std::string_view method;
  std::string_view path;  // "/question/{id}/stop": a variable is one segment or, at the end, the
                          // rest of the path; {name}, of a resource, may have several anywhere
  Action action;
  std::string_view engine_method;  // for kCall; else empty
  Body body;
  std::string_view summary;
  std::span<const std::string_view> query = {};  // parameters passed to the engine
  bool long_running = false;                     // cancelled when the client disconnects
  std::string_view body_schema = {};  // member of the engine's `schemas`; empty = params of the
                                      // method
};

[[nodiscard]] std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;  // null = no such path or, with `allow`, not with this method
  std::vector<std::string> variables = {};  // percent-decoded, in their order
  std::string allow = {};  // "GET, HEAD": the methods of this path, empty = no such path
};

/// Finds the route of a request. HEAD counts as GET if the response is not a stream.
[[nodiscard]] Match find_route(std::string_view method, std::string_view path);

/// The names of a path's variables: "id".
[[nodiscard]] std::vector<std::string_view> variables_of(const Route& route);

/// True for variables and parameters of the query that are numbers.
[[nodiscard]] bool is_number(std::string_view name);

}  // namespace quarry::rest
