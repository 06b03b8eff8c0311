#pragma once

#include "access/access.h"
#include "ask/question.h"
#include "base/json.h"
#include "engine/methods/method_table.h"
#include "engine/state.h"
#include "engine/tool_table.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace quarry::engine {

/// What a call of a tool is about.
struct ToolRequest {
  const ToolRow* row;
  Json arguments;      ///< without "resources", "form" and "principal"
  std::string caller;  ///< id of a token; empty = the owner
  std::vector<ask::WantedResource> wanted;
  bool locked = false;  ///< one resource that fails ends the call
  std::chrono::seconds max_time{};
  corpus::PageForm form = corpus::PageForm::kJson;
  std::shared_ptr<const State> state = nullptr;  ///< kept while the call runs
  access::Access::StreamSlot slot = nullptr;     ///< the same
};

/// Prepares the resources, runs the tool on a worker, and replies once; never blocks. TimeoutError
/// after `max_time`, kCancelled when the task is stopped. [worker]
void start_tool_call(const MethodServices& engine, ToolRequest request, const Task& task);

}  // namespace quarry::engine
