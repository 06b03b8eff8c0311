#pragma once

#include "methods.h"
#include "running.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::mcp {

struct StdioOptions {
  int input = 0;  // file descriptors, not closed
  int output = 1;
  std::size_t most_bytes = 4U << 20U;  // of one message
  std::chrono::milliseconds heartbeat{15'000};
  std::chrono::milliseconds longest{1'800'000};  // of a call
};

/// MCP of both eras over two pipes, one message per line; the one client is the owner.
class StdioSession {
 public:
  /// `catalogue` must outlive this.
  StdioSession(Catalogue& catalogue, StdioOptions options);
  ~StdioSession();
  StdioSession(const StdioSession&) = delete;
  StdioSession& operator=(const StdioSession&) = delete;

  /// Serves until the input has ended and all requests are answered, or the output is closed, or
  /// stop was called. The body of a thread.
  void run();
  /// Makes run return soon and ends all calls. [any thread]
  void stop();

 private:
  class Channel;
  std::shared_ptr<Channel> channel_;
};

}  // namespace quarry::mcp
