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

/// What a message of the Model Context Protocol carries beside its body when it goes over HTTP:
/// the version it speaks and, in the revision of 2026-07-28, what it mirrors of the body.
std::vector<services::HttpHeader> mirrored_headers(const Json& message);

/// Carries messages between lines of text and the endpoint of a server: each line is posted, and
/// what comes back, as one body or as a stream, is written a line a message. Thread-safe.
class McpBridge {
 public:
  struct Parts {
    std::string url;
    std::string token;  ///< of "Authorization: Bearer"; may be empty
    services::HttpClient& client;
    /// Takes one message without a line break; one at a time. [any thread]
    std::function<void(std::string_view message)> write;
  };
  explicit McpBridge(Parts parts) : parts_(std::move(parts)) {}
  /// Cuts what is on its way, and waits for it.
  ~McpBridge();

  /// One line of the client's.
  void take(std::string_view line);
  /// Nothing more comes from the client: waits until everything that is on its way has come back.
  void finish();

 private:
  struct Transfer;
  void send(const Json& message, const std::shared_ptr<Transfer>& transfer);
  void on_end(const std::shared_ptr<Transfer>& transfer, const Result<services::HttpOutcome>& end);
  void write(std::string_view json);
  void fail(const Json& id, const std::string& message);

  const Parts parts_;
  std::mutex write_mutex_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::map<const Transfer*, services::HttpClient::Handle> running_;
  std::string session_;
  std::string version_;  ///< that was agreed upon by initialize
};

}  // namespace quarry::cli
