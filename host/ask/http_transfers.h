#pragma once

#include "base/error.h"
#include "services/http_request.h"

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>

namespace quarry::ask {

/// Receives one HTTP response. [io]
class ResponseReceiver {
 public:
  virtual ~ResponseReceiver() = default;
  /// Called once, first.
  virtual void head(int status, std::span<const services::HttpHeader> headers) = 0;
  /// Returns false to cancel the transfer.
  virtual bool data(std::string_view bytes) = 0;
  /// Called once, last: success when the response is complete, with any HTTP status; kUnavailable
  /// when connecting failed or the connection broke; kDeadlineExceeded after the idle timeout;
  /// kCancelled after a stop.
  virtual void end(Status status) = 0;
};

/// The part of an HTTP client that model calls need.
class HttpTransfers {
 public:
  virtual ~HttpTransfers() = default;
  /// Sends a request in which secrets are already filled in. `receiver` is kept until its end and
  /// called on the I/O thread, never before this returns. `idle`: longest time without data. Never
  /// blocks. [io]
  virtual void send(services::HttpRequest request, std::chrono::milliseconds idle,
                    std::stop_token stop, std::shared_ptr<ResponseReceiver> receiver) = 0;
};

}  // namespace quarry::ask
