#pragma once

#include "base/json.h"
#include "services/http_client.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// HTTP headers of a message of the Model Context Protocol: its version and, in revision
/// 2026-07-28, the mirrored members of the body.
std::vector<services::HttpHeader> mirrored_headers(const Json& message);

/// Forwards messages between lines of text and the endpoint of a server: each line is posted, and
/// the messages of the response, one body or a stream, are written one per line. Thread-safe.
class McpBridge {
 public:
  struct Parts {
    std::string url;
    std::string token;  ///< for "Authorization: Bearer"; may be empty
    services::HttpClient& client;
    /// Receives one message without a line break, one at a time. [any thread]
    std::function<void(std::string_view message)> write;
    /// Called when no request runs any more. [any thread]
    std::function<void()> on_idle = [] {};
  };
  explicit McpBridge(Parts parts) : parts_(std::move(parts)) {}
  /// Cancels running requests and waits for their end.
  ~McpBridge();

  /// Forwards one line of the client.
  void take(std::string_view line);
  /// Waits for the responses to all forwarded lines; call after the client's last line.
  void finish();
  /// True if all forwarded lines have their responses.
  [[nodiscard]] bool is_idle();

 private:
  struct Transfer;
  void send(const Json& message, const std::shared_ptr<Transfer>& transfer);
  void on_event(Transfer& transfer, std::string_view json);
  void on_end(const std::shared_ptr<Transfer>& transfer, const Result<services::HttpOutcome>& end);
  void write(const Json& message);
  void fail(const Json& id, int code, const std::string& message);

  const Parts parts_;
  std::mutex write_mutex_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::map<const Transfer*, services::HttpClient::Handle> running_;
  std::string session_;
  std::string version_;  ///< negotiated by initialize
};

}  // namespace quarry::cli
