#pragma once

#include "plugins/exchange_provider.h"

#include <cstdint>
#include <span>

namespace quarry::plugins {

/// Receives the vectors of one request. The adapter guarantees: each vector has 1 to
/// QUARRY_LIMIT_DIMENSION values, exactly one finish or error is last. Each function returns true
/// if more output is wanted. On the thread that drives the exchange.
class EmbeddingSink {
 public:
  virtual ~EmbeddingSink() = default;
  /// `index` and `values` as the plugin gave them: any index, values that may not be finite.
  virtual bool vector(std::uint32_t index, std::span<const float> values) = 0;
  virtual bool usage(const Usage& usage) = 0;
  virtual void finish() = 0;
  virtual void error(const ModelError& error) = 0;
};

/// A provider of vectors (quarry/draft/embedding.h).
using EmbeddingProvider = ExchangeProvider<EmbeddingSink>;

}  // namespace quarry::plugins
