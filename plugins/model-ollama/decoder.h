#pragma once

#include "model_http/exchange.h"

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

namespace quarry::ollama {

/// Reads the lines of `/api/chat`. The one with `done` is the last.
class Decoder final : public model_http::Decoder {
 public:
  void message(std::string_view name, std::string_view data, model_http::Output& output) override;

 private:
  void take_calls(const nlohmann::json& calls, model_http::Output& output);

  std::uint32_t calls_ = 0;
};

}  // namespace quarry::ollama
