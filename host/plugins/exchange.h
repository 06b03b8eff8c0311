#pragma once

#include "base/error.h"
#include "services/http_request.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// Tokens of one request; -1 = not reported by the provider.
struct Usage {
  std::int64_t input = -1;   ///< cached parts included
  std::int64_t output = -1;  ///< reasoning included
  std::int64_t reasoning = -1;
  std::int64_t cache_read = -1;
  std::int64_t cache_write = -1;
};

/// A request that failed at the provider.
struct ModelError {
  Code code = Code::kInternal;
  int http_status = 0;               ///< 0 = none
  std::int64_t retry_after_ms = -1;  ///< -1 = not given
  std::string message;
  std::string hint = {};  ///< what to do, of the host; may be empty
};

/// The functions of an exchange in another process for a thread that must not wait: they return at
/// once. One at a time; the exchange and the sink must live until `done`, which is called once,
/// after the last output. [io]
template <class Sink>
class DeferredExchange {
 public:
  virtual ~DeferredExchange() = default;
  using Done = std::function<void()>;
  // As in ProviderExchange.
  virtual void head(int status, std::span<const services::HttpHeader> headers, Sink& sink,
                    Done done) = 0;
  virtual void data(std::string_view bytes, Sink& sink, Done done) = 0;
  virtual void end(bool complete, Sink& sink, Done done) = 0;
};

/// One request to a provider and the reading of its response, which is written to `Sink`. One
/// thread at a time; never blocks if the provider is in this process. Ended by destruction, at any
/// moment.
template <class Sink>
class ProviderExchange {
 public:
  virtual ~ProviderExchange() = default;
  /// kInternal if the plugin's request is not a valid HTTP request. May be called again to retry
  /// before any data.
  virtual Result<services::HttpRequest> request() = 0;
  /// Called once. Only name and value of the headers are used.
  virtual void head(int status, std::span<const services::HttpHeader> headers, Sink& sink) = 0;
  /// Called any number of times, with bytes split anywhere.
  virtual void data(std::string_view bytes, Sink& sink) = 0;
  /// Called once. `complete`: the response ended as HTTP requires; otherwise the connection broke.
  /// The sink has its finish or error afterwards.
  virtual void end(bool complete, Sink& sink) = 0;
  /// Its functions for the I/O thread, instead of those above; null if there are none.
  [[nodiscard]] virtual DeferredExchange<Sink>* deferred() { return nullptr; }
};

}  // namespace quarry::plugins
