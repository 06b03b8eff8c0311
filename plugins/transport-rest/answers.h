#pragma once

#include "engine_client/engine_calls.h"
#include "event_stream.h"
#include "http_server/request.h"
#include "reply.h"
#include "routes.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

namespace quarry::rest {

/// What a request wants of the engine; holds no view of the request.
struct Wanted {
  const Route* route = nullptr;
  std::string method;       // of the engine, for Action::kCall and kTool
  std::string params;       // for the engine, JSON
  std::string traceparent;  // for the engine; may be empty
  std::string request;      // id of the request, for the engine; may be empty
  std::string question;     // id, for kEvents
  std::uint64_t after = 0;  // number of the last event seen, for kEvents
  bool extended = false;    // with event types that existing clients do not know
};

/// A response with status 400 for an id of an event that is no number.
[[nodiscard]] std::expected<Wanted, http_server::Response> read_wanted(
    const http_server::Request& request, const Match& match);

/// 415 if the body of a request to `route` is not application/json, which a form of another site
/// cannot post.
[[nodiscard]] std::optional<http_server::Response> check_body(const Route& route,
                                                              const http_server::Request& request);

/// The response to a request that no route serves: 404, 405, or 204 to OPTIONS.
[[nodiscard]] http_server::Response no_route(const http_server::Request& request,
                                             const Match& match);

/// Answers requests with the engine's methods. [the connection's loop]
class Answers {
 public:
  /// `calls` must outlive this.
  Answers(engine_client::EngineCalls& calls, StreamRules rules) : calls_(calls), rules_(rules) {}

  /// Answers a request of kCall, kTool, kQuestion, kStream, kEvents or kOpenApi. `principal` is the
  /// member of the engine's params (transport.h) as JSON text; empty = the owner.
  void answer(Wanted wanted, Reply reply, const std::string& principal = {});

 private:
  void pass_through(const Wanted& wanted, Reply reply);
  void events(const Wanted& wanted, Reply reply, const std::string& principal);
  void follow(const Wanted& wanted, Reply reply);
  void openapi(Reply reply);

  engine_client::EngineCalls& calls_;
  const StreamRules rules_;
};

/// The response for an engine's value or failure.
[[nodiscard]] http_server::Response response_of(engine_client::Outcome outcome);

}  // namespace quarry::rest
