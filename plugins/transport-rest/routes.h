#pragma once

#include <span>
#include <string>
#include <string_view>

namespace quarry::rest {

/// What answers a route.
enum class Action {
  kCall,     // the engine's value, passed through
  kService,  // who we are
  kLive,     // without the engine
  kReady,
  kMetrics,
  kOpenApi,
  kQuestion,
  kStream,
  kEvents,
};

/// What the request brings besides its path.
enum class Body {
  kNone,      // none is read
  kOptional,  // ignored
  kRequired,  // JSON, handed to the engine as it is
  kIfGiven,   // the same when there is one
};

/// One line of the wire page.
struct Route {
  std::string_view method;
  std::string_view path;  // "/question/{id}/stop": at most one variable, one segment or, when it is
                          // the last, the rest of the path
  Action action;
  std::string_view engine_method;  // of kCall
  Body body;
  std::string_view body_schema;  // member of the engine's `schemas`, or JSON Schema, or empty
  std::string_view summary;
  std::span<const std::string_view> query = {};  // parameters handed to the engine
  bool long_running = false;                     // given up when the client goes
};

[[nodiscard]] std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;  // null: no such path, or, with `allow`, not with this method
  std::string variable;          // percent-decoded
  std::string allow;             // "GET, HEAD": the methods of this path, empty = no such path
};

/// Finds the route of a request. HEAD counts as GET where the answer is not a stream.
[[nodiscard]] Match find_route(std::string_view method, std::string_view path);

/// The name of a path's variable, "id"; empty when it has none.
[[nodiscard]] std::string_view variable_of(const Route& route);

}  // namespace quarry::rest
