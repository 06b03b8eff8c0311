#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace quarry::store_postgresql {

/// Stands between a program and a server on loopback, and cuts one connection where it is told. Any
/// thread.
class Relay {
 public:
  enum class Cut {
    kNever,
    kBefore,   ///< the server never gets what holds the words
    kAfter,    ///< the server gets it and answers; the program does not hear of it
    kSilence,  ///< as kBefore, but neither of the two hears that the other is gone
  };

  explicit Relay(int server_port);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  [[nodiscard]] int port() const { return port_; }
  /// Cuts the next connection that sends `words`, once.
  void cut(Cut where, const std::string& words);
  [[nodiscard]] bool has_cut() const { return where_ == Cut::kNever; }

 private:
  struct Link {
    int program;
    int server;
    bool deaf = false;  ///< to the server's next answer, which ends it
  };

  void run(const std::stop_token& stop);
  /// False when the link is over.
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
