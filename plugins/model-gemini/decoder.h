#pragma once

#include "model_http/exchange.h"

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace quarry::gemini {

/// Reads the chunks of `streamGenerateContent`. The stream has no end marker; the last finishReason
/// determines the end.
class Decoder final : public model_http::Decoder {
 public:
  void message(std::string_view name, std::string_view data, model_http::Output& output) override;
  void over(model_http::Output& output) override;
  void quiet(model_http::Output& output) override;

 private:
  void take_part(const nlohmann::json& part, model_http::Output& output);
  void take_call(const nlohmann::json& part, model_http::Output& output);
  void take_text(const nlohmann::json& part, model_http::Output& output);

  nlohmann::json parts_ = nlohmann::json::array();  // as they must be sent back
  bool must_come_back_ = false;
  std::uint32_t calls_ = 0;
  std::string finish_reason_;
  std::string finish_message_;
  bool repeats_reason_ = false;  ///< every chunk names it, as those of Gemini 1 do
};

}  // namespace quarry::gemini
