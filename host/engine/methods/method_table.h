#pragma once

#include "base/error.h"
#include "engine/engine.h"

#include <functional>
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
};

// The ways to run a handler.

/// On the calling thread; must not block. [any]
struct AtOnce {
  std::function<Answer(std::string_view params)> handler;
};
/// On a worker.
struct OnWorker {
  std::function<Answer(std::string_view params)> handler;
};
/// On a worker; ends early when the call is cancelled.
struct UntilStopped {
  std::function<Answer(std::string_view params, const std::stop_token& stop)> handler;
};
/// Started on a worker; may reply after the handler has returned.
struct Started {
  std::function<void(std::string_view params, const Task& task)> handler;
};

/// A row of the table: one method listed in <quarry/transport.h>.
struct Method {
  std::string_view name;  ///< of static duration
  std::variant<AtOnce, OnWorker, UntilStopped, Started> run;
  /// Tried before `run`, on the calling thread; nothing if the data is not in memory. May be empty.
  std::function<std::optional<Answer>(std::string_view params)> if_in_memory = {};
};

/// The methods of an engine by name. Filled once; then immutable, and lookups are [any].
class MethodTable {
 public:
  /// Each name once.
  void add(Method method);
  /// Null if there is no such method. Valid as long as the table, once it is filled.
  [[nodiscard]] const Method* find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, Method> methods_;
};

}  // namespace quarry::engine
