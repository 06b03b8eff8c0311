#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::load {

using Time = std::uint64_t;  // microseconds, of the steady clock
Time clock_now();

/// The bad kinds first.
enum class Kind {
  kNeverReads,   // pipelines as much as the server accepts, and reads nothing
  kNeverWrites,  // only connects
  kDrips,        // one byte of a header per second
  kGuesses,      // a wrong token, with a body, each second
  kPipelines,    // twenty requests at once, each second
  kHalfCloses,   // shuts its sending side after a request, and reconnects
  kIdle,         // got one answer and waits
  kGood,
};
inline constexpr std::size_t kBadKinds = 6;

struct Host {
  std::uint32_t address;  // IPv4, in host byte order; clients use the addresses after it
  int port;
  std::string token;
};

struct Counts {
  std::vector<Time> times;  // of good clients, from the question to the complete answer
  std::size_t failed = 0;   // of good clients: a wrong answer, or none in 30 s
  std::size_t bad_requests = 0;
  std::size_t bad_closed = 0;  // by the server
};

/// One client and its connection; connects at its time, and again when it was closed.
class Peer {
 public:
  /// `set`: an epoll descriptor. `host` and `counts` must outlive this object.
  Peer(const Host& host, int set, Kind kind, std::size_t number, Time begin, Counts& counts);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void on_ready(std::uint32_t events);
  void on_time(Time now);
  [[nodiscard]] bool is_open() const { return socket_ >= 0; }

 private:
  void connect();
  void close();
  void act();
  void ask();
  void send(std::string_view bytes);
  void flush();
  void read();
  void take_answer();
  void closed_by_server();
  [[nodiscard]] bool is_bad() const { return static_cast<std::size_t>(kind_) < kBadKinds; }

  const Host& host_;
  const int set_;
  const Kind kind_;
  const std::size_t number_;
  Counts& counts_;
  int socket_ = -1;
  Time next_;       // time of the next action
  Time asked_ = 0;  // 0: no question is open
  bool retried_ = false;
  std::size_t dripped_ = 0;
  std::string out_;
  std::string in_;
};

}  // namespace quarry::load
