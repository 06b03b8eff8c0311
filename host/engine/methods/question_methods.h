#pragma once

#include "engine/current_prices.h"
#include "engine/current_state.h"
#include "engine/gate.h"
#include "engine/methods/method_table.h"
#include "engine/methods/question_resources.h"
#include "engine/question_history.h"
#include "engine/question_registry.h"
#include "services/metrics.h"

namespace quarry::engine {

/// question.ask, and of an asked question .find, .stop and .source.
class QuestionMethods {
 public:
  /// All must outlive it.
  struct Parts {
    const CurrentState& state;
    Gate& gate;
    QuestionResources& resources;
    QuestionHistory& history;
    CurrentPrices& prices;
    QuestionRegistry& questions;
  };
  explicit QuestionMethods(Parts parts) : parts_(parts) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer ask(const Json& params, const Task& task);
  Answer find(const Json& params);
  Answer stop(const Json& params);
  Answer source(const Json& params);
  /// Citation `number` of a question whose events are gone; of the owner's history.
  Answer stored_source(const std::string& id, std::uint64_t number);

  /// NotFound if there is no question "id", or if it is not the principal's, where one is given.
  [[nodiscard]] Status check_caller(const Json& params) const;
  /// Sets token and budget of a principal's question, and returns its slot among the token's
  /// streams.
  Result<access::Access::StreamSlot> begin_stream(const access::Principal& who,
                                                  ask::Request& request);

  const Parts parts_;
};

}  // namespace quarry::engine
