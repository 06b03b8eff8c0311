#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/model_provider.h"
#include "services/call.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::authoring {

/// Text of a model as it arrives; reasoning is marked.
using OnText = std::function<void(std::string_view text, bool reasoning)>;

/// Collects the output of one step of a model, and passes its text on. More is wanted as long as
/// the call is. On the thread that drives the provider.
class TrialSink final : public plugins::ModelSink {
 public:
  /// Both must outlive it.
  TrialSink(const services::Call& call, const OnText& on_text) : call_(call), on_text_(on_text) {}

  bool text(std::string_view delta) override;
  bool reasoning(std::string_view delta) override;
  bool tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) override;
  bool usage(const plugins::Usage& usage) override;
  bool keep(std::string_view json) override;
  void finish(plugins::Finish reason) override { finish_ = reason; }
  void error(const plugins::ModelError& error) override { error_ = error; }

  /// {"text", "finish", "toolCalls", "usage"}, or the provider's error; kInternal if it sent
  /// neither a finish nor an error.
  [[nodiscard]] Result<Json> value() const;

 private:
  [[nodiscard]] bool wanted() const { return call_.outcome() == Code::kOk; }

  const services::Call& call_;
  const OnText& on_text_;
  std::string text_;
  std::set<std::string, std::less<>> tools_;
  std::optional<plugins::Usage> usage_;
  std::optional<plugins::Finish> finish_;
  std::optional<plugins::ModelError> error_;
};

}  // namespace quarry::authoring
