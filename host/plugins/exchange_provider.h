#pragma once

#include "base/error.h"
#include "plugins/exchange.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Description of an embedding or rerank provider.
struct ExchangeDescription {
  std::string title;
  std::string schema;              ///< JSON Schema of its part of the configuration
  std::vector<std::string> needs;  ///< names of required secrets
  bool local = false;              ///< free of charge
  std::string vendor;              ///< its name in price catalogues; empty = unknown
  std::string endpoint;            ///< base URL of its server; empty = none or unknown
  std::string variant;             ///< differs if options change the vectors; may be empty
  std::uint32_t most_items = 1;    ///< texts or documents of one request
};

/// A provider of a draft kind that has the exchange form alone. Requests are JSON text.
template <class Sink>
class ExchangeProvider {
 public:
  virtual ~ExchangeProvider() = default;
  [[nodiscard]] virtual const ExchangeDescription& describe() const = 0;
  /// Blocks for a round trip if its code runs in another process. [any thread that may block]
  virtual Result<std::unique_ptr<ProviderExchange<Sink>>> begin(std::string_view request) = 0;
};

}  // namespace quarry::plugins
