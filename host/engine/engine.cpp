#include "engine/engine.h"

#include <future>

namespace quarry::engine {

Result<std::string> Engine::call_and_wait(std::string_view method, std::string_view params) {
  std::promise<Result<std::string>> promise;
  auto reply = promise.get_future();
  call(
      method, params, [&](Result<std::string> result) { promise.set_value(std::move(result)); },
      nullptr);
  return reply.get();
}

}  // namespace quarry::engine
