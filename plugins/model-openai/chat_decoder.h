#pragma once

#include "model_http/exchange.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::openai {

/// Reads the chunks of a chat completion. Reports the end at "[DONE]", or when the stream ends
/// after a finish reason, since usage follows that.
class ChatDecoder final : public model_http::Decoder {
 public:
  void message(std::string_view name, std::string_view data, model_http::Output& output) override;
  void over(model_http::Output& output) override;

 private:
  struct Call {
    std::optional<std::int64_t> index;  ///< the provider's
    std::string id;
    bool named = false;
  };

  void take_delta(const nlohmann::json& delta, model_http::Output& output);
  void take_reasoning(const nlohmann::json& delta, model_http::Output& output);
  void take_details(const nlohmann::json& details);
  void take_call(const nlohmann::json& piece, model_http::Output& output);
  std::size_t place_of(const nlohmann::json& piece);
  void take_finish(const std::string& reason, model_http::Output& output);
  void end(model_http::Output& output);
  void keep(model_http::Output& output) const;

  std::vector<Call> calls_;
  std::string_view reasoning_member_;  ///< member with the reasoning; empty = none
  nlohmann::json details_;             ///< an array, or null
  std::optional<quarry_finish> finish_;
  bool refused_ = false;
};

}  // namespace quarry::openai
