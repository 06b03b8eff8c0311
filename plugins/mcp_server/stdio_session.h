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
  int input = 0;  // file descriptors, used and not closed
  int output = 1;
  std::size_t most_bytes = 4U << 20U;  // of one message
  std::chrono::milliseconds heartbeat{15'000};
  std::chrono::milliseconds longest{1'800'000};  // of a call
};

/// MCP of both eras over two pipes, a message a line; there is one client, the owner.
class StdioSession {
 public:
  /// `catalogue` must outlive this.
  StdioSession(Catalogue& catalogue, StdioOptions options);
  ~StdioSession();
  StdioSession(const StdioSession&) = delete;
  StdioSession& operator=(const StdioSession&) = delete;

  /// Serves until the input has ended and what was asked is answered, or the output is closed, or
  /// stop was called. The body of a thread.
  void run();
  /// Ends run soon, and all calls with it. [any thread]
  void stop();

 private:
  class Line;
  std::shared_ptr<Line> line_;
};

}  // namespace quarry::mcp
