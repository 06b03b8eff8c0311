#pragma once

#include "base/error.h"
#include "plugins/model_provider.h"

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>

namespace quarry::ask {

/// Takes one HTTP response. [io]
class ResponseReceiver {
 public:
  virtual ~ResponseReceiver() = default;
  /// Once, first.
  virtual void head(int status, std::span<const plugins::HttpHeader> headers) = 0;
  /// False when no more is wanted: the transfer is then ended as cancelled.
  virtual bool data(std::string_view bytes) = 0;
  /// Once, last: success when the response was whole, whatever its status; kUnavailable when there
  /// was no connection or it broke; kDeadlineExceeded when nothing came for the idle limit;
  /// kCancelled after a stop.
  virtual void end(Status status) = 0;
};

/// The little of an HTTP client that asking a model takes.
class HttpTransfers {
 public:
  virtual ~HttpTransfers() = default;
  /// Sends a request whose secrets are filled in already. `receiver`, kept until its end, is called
  /// on the I/O thread, and not before this has returned. `idle`: how long nothing may come. Never
  /// blocks. [io]
  virtual void send(plugins::HttpRequest request, std::chrono::milliseconds idle,
                    std::stop_token stop, std::shared_ptr<ResponseReceiver> receiver) = 0;
};

}  // namespace quarry::ask
