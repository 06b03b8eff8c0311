#pragma once

#include "base/error.h"
#include "base/json.h"
#include "engine/engine.h"
#include "engine/params.h"
#include "services/log_scope.h"
#include "services/tracer.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

namespace quarry::engine {

/// The result of a method, as JSON text.
using Answer = Result<std::string>;

/// A call that continues after its handler has returned.
struct Task {
  std::stop_token stop;
  Engine::OnProgress progress;  ///< may be empty
  Engine::Reply reply;          ///< called once, on any thread
  services::SpanParent trace = {};
  std::shared_ptr<const services::LogSubject> subject = {};  ///< of its lines; may be null
};

struct MethodServices;

// The ways to run a handler. Its parameters have been checked by the rule of its row.

/// On the calling thread; must not block. [any]
struct AtOnce {
  std::function<Answer(const MethodServices& engine, const Json& params)> handler;
};
/// On a worker.
struct OnWorker {
  std::function<Answer(const MethodServices& engine, const Json& params)> handler;
};
/// On a worker; ends early when the call is cancelled.
struct UntilStopped {
  std::function<Answer(const MethodServices& engine, const Json& params,
                       const std::stop_token& stop)>
      handler;
};
/// Started on a worker; may reply after the handler has returned. Such calls have spans.
struct Started {
  std::function<void(const MethodServices& engine, const Json& params, const Task& task)> handler;
};

/// The result of methods that remove what a name names.
inline constexpr std::string_view kRemovedResult = R"json({
  "type": "object", "required": ["success", "name"],
  "properties": {"success": {"type": "boolean"}, "name": {"type": "string"}}
})json";

/// One method of the engine. Texts are of static duration.
struct Method {
  std::string_view name;
  std::string_view summary;  ///< what it does, in sentences for authors of transports
  /// Rises when the method takes or returns more than in the last release of the contract.
  std::uint32_t version = 1;
  ParamsRule params = {};
  std::string_view result;  ///< JSON Schema of the value
  std::variant<AtOnce, OnWorker, UntilStopped, Started> run;
  /// Tried before `run`, on the calling thread; nothing if the data is not in memory. May be empty.
  std::function<std::optional<Answer>(const MethodServices& engine, const Json& params)>
      if_in_memory = {};
};

/// The methods of an engine by name. Filled once; then immutable, and every function is [any].
class MethodTable {
 public:
  struct Row {
    explicit Row(Method given) : method(std::move(given)), check(method.params) {}
    const Method method;
    const ParamsCheck check;
  };

  /// Each name once.
  void add(Method method);
  /// Null if there is no such method. Valid as long as the table.
  [[nodiscard]] const Row* find(std::string_view name) const;
  /// {name: {"version", "description", "params": JSON Schema, "principal": "optional" or
  /// "required", "result": JSON Schema}}; without "params" for a method that has none, without
  /// "principal" for one that takes none.
  [[nodiscard]] Json description() const;

 private:
  std::unordered_map<std::string_view, Row> rows_;
};

}  // namespace quarry::engine
