#pragma once

#include "model_http/exchange.h"

#include <cstdint>

namespace quarry::example {

/// Reads the lines of `/answer`: {"text"}, {"call": {"name", "arguments"}}, and last
/// {"tokens": {"input", "output"}}.
class Decoder final : public model_http::Decoder {
 public:
  void message(std::string_view name, std::string_view data, model_http::Output& output) override;

 private:
  std::uint32_t calls_ = 0;
};

}  // namespace quarry::example
