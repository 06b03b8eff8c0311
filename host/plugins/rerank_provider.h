#pragma once

#include "plugins/exchange_provider.h"

#include <cstdint>

namespace quarry::plugins {

/// Receives the scores of one request. The adapter guarantees that exactly one finish or error is
/// last. Each function returns true if more output is wanted. On the thread that drives the
/// exchange.
class RerankSink {
 public:
  virtual ~RerankSink() = default;
  /// Both as the plugin gave them: any index, a score that may not be finite.
  virtual bool score(std::uint32_t index, double score) = 0;
  virtual bool usage(const Usage& usage) = 0;
  virtual void finish() = 0;
  virtual void error(const ModelError& error) = 0;
};

/// A provider of scores (quarry/draft/rerank.h).
using RerankProvider = ExchangeProvider<RerankSink>;

}  // namespace quarry::plugins
