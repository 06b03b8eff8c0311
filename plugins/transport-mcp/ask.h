#pragma once

#include "engine_client/question.h"
#include "mcp_server/call.h"

#include <memory>
#include <string>

namespace quarry::transport_mcp {

/// One call of the tool `ask`: follows its question, reports progress, and answers with the data of
/// the last event. Kept alive by its call.
class Ask final : public engine_client::Question {
 public:
  Ask(engine_client::EngineCalls& calls, std::shared_ptr<mcp::Call> call);

  /// `params`: the parameters of question.ask.
  void begin(const std::string& params);

 private:
  void post(std::function<void()> job) override { call_->post(std::move(job)); }
  void failed(const engine_client::Failure& failure) override;
  void accepted(const std::string& id) override;
  void visit(const quarry_event& event) override;
  void caught_up(bool ended) override;

  engine_client::EngineCalls& calls_;
  const std::shared_ptr<mcp::Call> call_;
  std::string done_;          // data of the last event
  std::string error_;         // data of an `error` event
  std::string last_message_;  // of the progress
  bool writes_ = false;
};

}  // namespace quarry::transport_mcp
