#pragma once

#include "ask/question.h"
#include "base/clock.h"
#include "engine/current_state.h"
#include "engine/gate.h"
#include "engine/methods/method_table.h"
#include "engine/methods/question_resources.h"
#include "engine/tool_call.h"
#include "engine/tool_share.h"
#include "engine/tool_table.h"
#include "resources/library.h"

#include <memory>

namespace boost::asio {
class io_context;
}

namespace quarry::engine {

/// `tools`, which describes the retrieval tools, and a method tools.* for each.
class ToolMethods {
 public:
  /// All must outlive it.
  struct Parts {
    const CurrentState& state;
    Gate& gate;
    QuestionResources& resources;
    resources::Library& library;
    const Clock& clock;
    Executor& workers;
    boost::asio::io_context& io;                ///< on which calls time out
    corpus::SymbolAnalyser* symbols = nullptr;  ///< null = source code is not analysed
    corpus::SearchModels search_models = {};
  };
  explicit ToolMethods(Parts parts);
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer describe(const Json& params) const;
  void run(const ToolRow& row, const Json& params, const Task& task);
  Result<ToolRequest> request_of(const ToolRow& row, const Json& params) const;
  /// Sets the resources that the owner asked for.
  Status choose(ToolRequest& request, const QuestionRequest& asked) const;
  /// Sets those of the bearer's project, and takes one of its token's streams.
  Status choose(ToolRequest& request, const QuestionRequest& asked,
                const PrincipalRequest& bearer) const;

  const Parts parts_;
  const std::shared_ptr<ToolShare> share_;
};

}  // namespace quarry::engine
