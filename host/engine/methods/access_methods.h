#pragma once

#include "engine/access_requests.h"
#include "engine/current_state.h"
#include "engine/expenses.h"
#include "engine/gate.h"
#include "engine/methods/method_table.h"
#include "engine/question_registry.h"
#include "services/redactor.h"

namespace quarry::engine {

/// access.* and sessions.*: callers with tokens.
class AccessMethods {
 public:
  /// All must outlive it.
  struct Parts {
    const CurrentState& state;
    Gate& gate;
    const Clock& clock;
    boost::asio::io_context& io;  ///< on which questions end
    const QuestionRegistry& questions;
    Expenses& expenses;  ///< of questions of callers with tokens
    const services::Redactor& redactor;
  };
  explicit AccessMethods(Parts parts) : parts_(parts) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  std::optional<Answer> admit_at_once(const Json& params);
  Answer admit(const Json& params);
  std::optional<Answer> record_at_once(const Json& params);
  Answer record(const Json& params);
  Answer open_session(const Json& params);
  Answer check_session(const Json& params);
  Answer end_session(const Json& params);

  Result<access::Principal> session_principal(const SessionRequest& request);

  const Parts parts_;
};

}  // namespace quarry::engine
