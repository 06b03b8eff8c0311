#pragma once

#include "ask/question.h"
#include "engine/gate.h"
#include "engine/requests.h"
#include "engine/state.h"

#include <vector>

namespace quarry::engine {

/// The resources of a question, from the names in its request. [worker]
class QuestionResources {
 public:
  /// Both must outlive it; the services are those of ProjectSecrets.
  QuestionResources(Gate& gate, HostServices& host_services)
      : gate_(gate), host_services_(host_services) {}

  /// Of the owner's question.
  Result<std::vector<ask::WantedResource>> choose(const State& state, const QuestionRequest& asked);
  /// Of the principal's project; references only with the right to add.
  Result<std::vector<ask::WantedResource>> choose(const State& state, const QuestionRequest& asked,
                                                  const access::Principal& who);

 private:
  Gate& gate_;
  HostServices& host_services_;
};

}  // namespace quarry::engine
