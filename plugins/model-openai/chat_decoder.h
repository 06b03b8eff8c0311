#pragma once

#include "model-openai/refused_parameters.h"
#include "model_http/exchange.h"
#include "model_http/object_scanner.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::openai {

/// Reads the chunks of a chat completion, or a whole one. Reports the end at "[DONE]", or after a
/// finish reason when usage follows it or the stream ends.
class ChatDecoder final : public model_http::Decoder {
 public:
  /// Asks for the same request again once `refused` has learned of a parameter.
  explicit ChatDecoder(std::shared_ptr<RefusedParameters> refused) : learns_(std::move(refused)) {}
  void failed(model_http::ReportedFailure& failure) override;
  void message(std::string_view name, std::string_view data, model_http::Output& output) override;
  void over(model_http::Output& output) override;
  void quiet(model_http::Output& output) override;

 private:
  struct Call {
    std::optional<std::int64_t> index;  ///< the provider's
    std::string id = {};
    std::string name = {};
    model_http::ObjectScanner arguments = {};          ///< so far
    nlohmann::json extras = nlohmann::json::object();  ///< members to be sent back
  };

  void take_choice(const nlohmann::json& choice, model_http::Output& output);
  void take_delta(const nlohmann::json& delta, model_http::Output& output);
  void take_reasoning(const nlohmann::json& delta, model_http::Output& output);
  void take_call(const nlohmann::json& piece, model_http::Output& output);
  [[nodiscard]] std::size_t place_of(const nlohmann::json& piece, std::string_view arguments) const;
  void take_finish(const std::string& reason, model_http::Output& output);
  void end(model_http::Output& output);
  void keep(model_http::Output& output) const;

  const std::shared_ptr<RefusedParameters> learns_;
  std::vector<Call> calls_;
  std::string_view reasoning_member_;  ///< member with the reasoning; empty = none
  nlohmann::json details_;             ///< of reasoning: an array, or null
  nlohmann::json blocks_;              ///< of thinking, as LiteLLM names it; likewise
  std::optional<quarry_finish> finish_;
  bool refused_ = false;
  bool repeats_reason_ = false;  ///< chunks before the last name a reason to end
  bool has_delta_ = false;       ///< a later whole message would repeat it
  bool by_messages_ = false;     ///< the server sends messages in the place of deltas
  bool has_usage_ = false;       ///< in a message of its own, after all others
};

}  // namespace quarry::openai
