#pragma once

#include "base/error.h"
#include "plugins/exchange.h"
#include "services/call.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

enum class Finish { kStop, kLength, kToolCalls, kContentFilter };

/// Receives the output of one step, in order. The adapter guarantees: text is UTF-8 (a character
/// split by the plugin is joined, other bytes become U+FFFD), `keep` gets one JSON value, exactly
/// one finish or error is last. Each function returns true if more output is wanted. On the thread
/// that drives the provider.
class ModelSink {
 public:
  virtual ~ModelSink() = default;
  virtual bool text(std::string_view delta) = 0;
  virtual bool reasoning(std::string_view delta) = 0;
  /// The next fragment of call number `index`; `id` and `name` may be empty.
  virtual bool tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                         std::string_view arguments) = 0;
  virtual bool usage(const Usage& usage) = 0;
  virtual bool keep(std::string_view json) = 0;
  virtual void finish(Finish reason) = 0;
  virtual void error(const ModelError& error) = 0;
};

using ModelExchange = ProviderExchange<ModelSink>;

struct ModelDescription {
  std::string title;
  std::string schema;              ///< JSON Schema of the provider's part of the configuration
  std::vector<std::string> needs;  ///< names of required secrets
  bool local = false;              ///< free of charge
  std::string vendor;              ///< its name in price catalogues; empty = unknown
  std::string endpoint;            ///< base URL of its server; empty = none or unknown
  std::string default_model;       ///< if the configuration names none; empty = first listed
};

struct ModelInfo {
  std::string id;
  std::int64_t context_tokens = 0;  ///< 0 = unknown
  bool calls_tools = true;          ///< false = it is known that it cannot
};

/// A provider of models (functions as documented in quarry/model.h). Chat requests are JSON text.
class ModelProvider {
 public:
  enum class Form { kExchange, kGenerate };

  virtual ~ModelProvider() = default;
  [[nodiscard]] virtual const ModelDescription& describe() const = 0;
  /// Loads its plugin, unless it is loaded, so that no function below waits for that. [worker]
  virtual Status prepare() { return {}; }
  [[nodiscard]] virtual Form form() const = 0;
  /// False if the functions of an exchange, begin included, wait for another process or thread and
  /// run on a worker: if its code runs elsewhere, or did not come with the host.
  [[nodiscard]] virtual bool is_called_at_once() const { return true; }
  /// Generate form: blocks until the sink has its finish or error. [worker]
  virtual void generate(const services::Call& call, std::string_view chat_request,
                        ModelSink& sink) = 0;
  /// Exchange form; kUnsupported otherwise. [io, or worker unless it is called at once]
  virtual Result<std::unique_ptr<ModelExchange>> begin(std::string_view chat_request,
                                                       const std::string& project = {}) = 0;
  /// The best default first; kUnsupported if it has no list. [worker]
  virtual Result<std::vector<ModelInfo>> models(const services::Call& call) = 0;
};

/// By name.
using ModelProviders = std::map<std::string, std::shared_ptr<ModelProvider>, std::less<>>;

}  // namespace quarry::plugins
