// A simulated model provider: answers every POST with tokens at a steady rate, each with its send
// time. Prints its port, then serves until standard input ends.
//   relay_upstream TOKENS_A_SECOND TOKENS
// A path that ends in "/stream" gets lines of the test provider's protocol, any other gets
// chat-completion chunks as server-sent events. One thread, one write per token.

#include "token.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <random>
#include <unistd.h>
#include <unordered_map>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace quarry::bench {
namespace {

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    "Cache-Control: no-cache\r\n\r\n";

std::string chunk(const std::string& bytes) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

std::string event(const std::string& members) {
  return R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,)"
         R"("model":"bench","choices":[)" +
         members + "}\n\n";
}

class Upstream {
 public:
  Upstream(std::uint64_t rate, std::uint32_t tokens)
      : period_(1'000'000'000 / rate), tokens_(tokens) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, raw, size) != 0 || ::listen(listener_, 4096) != 0) std::abort();
    ::getsockname(listener_, raw, &size);
    port_ = ntohs(address.sin_port);
    watch(listener_);
    watch(STDIN_FILENO);
  }

  [[nodiscard]] int port() const { return port_; }

  void run() {
    std::array<epoll_event, 256> ready;
    for (;;) {
      const int count = ::epoll_pwait2(set_, ready.data(), ready.size(), patience(), nullptr);
      for (int i = 0; i < count; ++i) {
        const int socket = ready[i].data.fd;
        if (socket == STDIN_FILENO) return;
        socket == listener_ ? accept_all() : read(socket);
      }
      send_due();
    }
  }

 private:
  struct Stream {
    std::string request;
    bool lines = false;  // in the test provider's protocol
    bool answering = false;
    std::uint32_t sent = 0;
    std::uint64_t generation = 0;  // of the descriptor's number
  };
  struct Due {
    std::uint64_t when;
    int socket;
    std::uint64_t generation;
  };

  void watch(int file) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = file;
    ::epoll_ctl(set_, EPOLL_CTL_ADD, file, &event);
  }

  const timespec* patience() {
    if (due_.empty()) return nullptr;
    const std::uint64_t now = nanoseconds();
    const std::uint64_t left = due_.front().when > now ? due_.front().when - now : 0;
    patience_ = {static_cast<time_t>(left / 1'000'000'000),
                 static_cast<long>(left % 1'000'000'000)};
    return &patience_;
  }

  void accept_all() {
    for (;;) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) return;
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      streams_[socket] = {};
      streams_[socket].generation = ++generation_;
      watch(socket);
    }
  }

  void read(int socket) {
    char buffer[16384];
    const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return close(socket);
    Stream& stream = streams_[socket];
    stream.request.append(buffer, static_cast<std::size_t>(got));
    if (!stream.answering && is_whole(stream.request)) begin(socket, stream);
  }

  static bool is_whole(const std::string& request) {
    const std::size_t head = request.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    std::string lower = request.substr(0, head);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::size_t at = lower.find("content-length: ");
    const std::size_t length =
        at == std::string::npos ? 0 : std::strtoul(lower.c_str() + at + 16, nullptr, 10);
    return request.size() >= head + 4 + length;
  }

  void begin(int socket, Stream& stream) {
    const std::string path = stream.request.substr(0, stream.request.find(" HTTP/"));
    stream.lines = path.ends_with("/stream");
    stream.answering = true;
    stream.request = {};
    stream.sent = 0;
    send(socket, std::string(kHead));
    const Due first{next(phases_() % period_), socket, stream.generation};
    due_.insert(std::ranges::upper_bound(due_, first.when, {}, &Due::when), first);
  }

  /// The next time of `phase` of the period. Each stream has its own random phase: otherwise
  /// streams that a relay began together would always send together.
  [[nodiscard]] std::uint64_t next(std::uint64_t phase) const {
    const std::uint64_t now = nanoseconds();
    return now + period_ - (now + period_ - phase) % period_;
  }

  /// All streams have the same period, so the oldest is due first.
  void send_due() {
    while (!due_.empty() && due_.front().when <= nanoseconds()) {
      const Due due = due_.front();
      due_.pop_front();
      const auto found = streams_.find(due.socket);
      if (found == streams_.end() || found->second.generation != due.generation) continue;
      Stream& stream = found->second;
      if (stream.sent == tokens_) {
        end(due.socket, stream);
        continue;
      }
      const std::string text = Token{stream.sent++, nanoseconds()}.text();
      const std::string piece =
          stream.lines
              ? R"({"say":")" + text + "\"}\n"
              : event(R"({"index":0,"delta":{"content":")" + text + R"("},"finish_reason":null}])");
      if (send(due.socket, chunk(piece)))
        due_.push_back({due.when + period_, due.socket, due.generation});
    }
  }

  void end(int socket, Stream& stream) {
    const std::string last =
        stream.lines ? "{\"tokens\":[100," + std::to_string(tokens_) + "]}\n{\"end\":\"stop\"}\n"
                     : event(R"({"index":0,"delta":{},"finish_reason":"stop"}])") +
                           event(R"(],"usage":{"prompt_tokens":100,"completion_tokens":)" +
                                 std::to_string(tokens_) + R"(,"total_tokens":)" +
                                 std::to_string(100 + tokens_) + "}") +
                           "data: [DONE]\n\n";
    stream.answering = false;
    send(socket, chunk(last) + "0\r\n\r\n");
  }

  bool send(int socket, const std::string& bytes) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(bytes.size())) return true;
    // A reader this far behind has lost the race; the load program reports the stream as cut.
    close(socket);
    return false;
  }

  void close(int socket) {
    ::close(socket);
    streams_.erase(socket);
  }

  const std::uint64_t period_;
  const std::uint32_t tokens_;
  const int set_ = ::epoll_create1(EPOLL_CLOEXEC);
  int listener_ = -1;
  int port_ = 0;
  std::uint64_t generation_ = 0;
  std::unordered_map<int, Stream> streams_;
  std::deque<Due> due_;
  std::mt19937 phases_{1};  // the same for every relay
  timespec patience_{};
};

}  // namespace
}  // namespace quarry::bench

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("Usage: relay_upstream TOKENS_A_SECOND TOKENS\n", stderr);
    return 2;
  }
  quarry::bench::Upstream upstream(std::strtoul(arguments[1], nullptr, 10),
                                   static_cast<std::uint32_t>(std::atoi(arguments[2])));
  std::printf("%d\n", upstream.port());
  std::fflush(stdout);
  upstream.run();
}
