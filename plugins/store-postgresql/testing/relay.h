#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace quarry::store_postgresql {

/// Forwards connections to a server on loopback, and cuts one of them on demand. Any thread.
class Relay {
 public:
  enum class Cut {
    kNever,
    kBefore,   ///< the server does not get the bytes with the words
    kAfter,    ///< the server gets them and answers; the program does not get the answer
    kSilence,  ///< like kBefore, but neither side sees that the connection is cut
  };

  explicit Relay(int server_port);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  [[nodiscard]] int port() const { return port_; }
  /// Cuts the next connection that sends `words`, once.
  void cut(Cut where, const std::string& words);
  [[nodiscard]] bool has_cut() const { return where_ == Cut::kNever; }
  /// Waits until has_cut().
  void wait_for_cut() const {
    for (Cut where = where_; where != Cut::kNever; where = where_) where_.wait(where);
  }

 private:
  struct Link {
    int program;
    int server;
    bool deaf = false;  ///< to the server's next answer, which ends it
  };

  void run(const std::stop_token& stop);
  /// False if the link is over.
  bool pass_on(Link& link);
  bool pass_back(const Link& link) const;

  int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<Cut> where_ = Cut::kNever;
  std::string words_;
  std::jthread thread_;
};

}  // namespace quarry::store_postgresql
