#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <quarry_test.h>
#include <string>
#include <string_view>
#include <thread>

namespace quarry::http_server::testing {

/// A test client that sends exactly the given bytes.
class Client {
 public:
  /// `from`: the local address, of 127.0.0.0/8.
  explicit Client(std::uint16_t port, const std::string& from = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// False if the server has closed.
  bool send(std::string_view bytes);
  /// Sends `request` repeatedly until the socket would block; returns the number of bytes. The next
  /// call continues where this one stopped.
  std::size_t send_some(std::string_view request);
  /// Shuts down the sending side.
  void finish_sending();
  /// Closes with a reset instead of an orderly end.
  void reset();
  void close();

  /// The next complete response; a partial one if the connection ended or time is up.
  struct Answer {
    int status = 0;  // 0: none
    std::string head;
    std::string body;
    [[nodiscard]] std::string header(std::string_view name) const;
  };
  Answer receive(bool head_only = false);
  /// Bytes up to and including `end`; fewer if the connection ended or time is up.
  std::string receive_until(std::string_view end);
  /// Buffers received bytes for the other functions; false at the end or when time is up.
  bool receive_some() { return fill(); }
  /// Everything until the server closes. Sets `closed` to true if it did in time.
  std::string receive_all(bool* closed = nullptr);
  /// True if the server closes in time; waits for it.
  bool is_closed_by_server();
  /// True if bytes have arrived that receive() would return. Does not wait.
  [[nodiscard]] bool has_bytes() const;
  /// Number of TCP segments with data that have arrived.
  [[nodiscard]] int received_segments() const;
  /// Makes the kernel buffer few received bytes. Call before anything is received.
  void shrink_receive_buffer();

 private:
  bool fill();

  int socket_ = -1;
  std::size_t offset_ = 0;  // bytes of the request that send_some has sent
  std::string pending_;
};

/// Sends one request on a connection of its own and returns the response.
Client::Answer fetch(std::uint16_t port, std::string_view request);

/// "GET /path HTTP/1.1" with Host, and `fields` ("Name: value\r\n…").
std::string get(std::string_view path, std::string_view fields = {});
/// The same for another method with a JSON body.
std::string with_json(std::string_view method, std::string_view path, std::string_view body,
                      std::string_view fields = {});

/// Waits until `descriptor` has bytes or is closed; false when time is up.
bool wait_for_bytes(int descriptor);

/// Waits until `condition` holds; false when time is up.
template <class Condition>
bool wait_until(Condition condition);

}  // namespace quarry::http_server::testing

template <class Condition>
bool quarry::http_server::testing::wait_until(Condition condition) {
  constexpr std::chrono::microseconds kLongestPause{1000};
  const auto end = std::chrono::steady_clock::now() + patience(std::chrono::seconds(10));
  // Threads that the condition depends on need the processor, so this one sleeps between looks.
  for (std::chrono::microseconds pause{10}; !condition();
       pause = std::min(2 * pause, kLongestPause)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}
