#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace quarry::engine::testing {

/// Response to one request; the body is sent in pieces of `piece` bytes.
struct Answer {
  int status = 200;
  std::string body = {};
  std::string headers = {};  ///< "Name: value\r\n" each
  std::size_t piece = 7;
  std::size_t promised = 0;  ///< Content-Length, if larger than the body, to simulate a cut
  bool hang = false;         ///< keep the connection open after the body until the client closes
};

/// An HTTP server on the loopback that streams scripted answers, one connection at a time.
class StreamServer {
 public:
  /// Receives the number of the request, from 0, and its text.
  using Script = std::function<Answer(std::size_t, const std::string&)>;

  explicit StreamServer(Script answer);
  ~StreamServer();
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<std::string> requests() const;
  /// Blocks until it has received a request.
  void wait_for_a_request() const;

 private:
  void serve();
  void talk(int socket);

  Script answer_;
  int listener_ = -1;
  unsigned short port_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable received_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace quarry::engine::testing
