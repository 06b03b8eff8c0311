#pragma once

#include "services/http_request.h"

#include <quarry/model.h>

#include <functional>
#include <span>
#include <string_view>

namespace quarry::plugins {

/// Functions of exchanges of models that run in another process, begun without waiting for it. The
/// sink and the exchange must live until `done`, which is called once, after the last output. [io]
class DeferredModels {
 public:
  virtual ~DeferredModels() = default;
  using Done = std::function<void()>;
  virtual void head(quarry_exchange* exchange, int status,
                    std::span<const services::HttpHeader> headers, const quarry_model_sink* sink,
                    Done done) = 0;
  virtual void data(quarry_exchange* exchange, std::string_view bytes,
                    const quarry_model_sink* sink, Done done) = 0;
  virtual void end(quarry_exchange* exchange, quarry_end reason, const quarry_model_sink* sink,
                   Done done) = 0;
};

}  // namespace quarry::plugins
