#include "peer.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace quarry::load {
namespace {

constexpr Time kSecond = 1'000'000;
constexpr Time kPatience = 30 * kSecond;

std::string post(std::string_view token, std::string_view body) {
  return "POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "Accept: application/json\r\nAuthorization: Bearer " +
         std::string(token) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

std::string question(std::size_t number) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":)"
         R"({"question":"What does the parser read, asks )" +
         std::to_string(number) + R"(?"}}})";
}

/// Sixteen clients of a kind share an address.
std::uint32_t source_address(const Host& host, Kind kind, std::size_t number) {
  constexpr std::uint32_t kAddressesOfKind = 4096;
  return host.address + 1 + static_cast<std::uint32_t>(kind) * kAddressesOfKind +
         static_cast<std::uint32_t>(number / 16);
}

constexpr std::string_view kGet = "GET /api/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

}  // namespace

Time clock_now() {
  using namespace std::chrono;
  return static_cast<Time>(
      duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count());
}

Peer::Peer(const Host& host, int set, Kind kind, std::size_t number, Time begin, Counts& counts)
    : host_(host), set_(set), kind_(kind), number_(number), counts_(counts), next_(begin) {}

Peer::~Peer() {
  close();
}

void Peer::connect() {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) std::abort();  // the limit of descriptors is too low
  const int little = 4096;
  if (kind_ == Kind::kNeverReads) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
  }
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(source_address(host_, kind_, number_));
  ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  address.sin_addr.s_addr = htonl(host_.address);
  address.sin_port = htons(static_cast<std::uint16_t>(host_.port));
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno != EINPROGRESS) {
    return close();
  }
  epoll_event wanted{};
  // A client that never reads detects an end only when it writes.
  wanted.events = EPOLLOUT | EPOLLET | (kind_ == Kind::kNeverReads ? 0U : EPOLLIN | EPOLLRDHUP);
  wanted.data.ptr = this;
  ::epoll_ctl(set_, EPOLL_CTL_ADD, socket_, &wanted);
}

void Peer::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  dripped_ = 0;
  in_.clear();
  out_.clear();
}

void Peer::on_time(Time now) {
  if (asked_ != 0 && now - asked_ > kPatience) {
    ++counts_.failed;
    asked_ = 0;
    close();
  }
  if (now < next_) return;
  // By a schedule, not from now on: otherwise clients that were late together stay together.
  next_ += ((now - next_) / kSecond + 1) * kSecond;
  if (socket_ < 0) {
    connect();
    if (kind_ == Kind::kNeverWrites || socket_ < 0) return;
  }
  act();
}

void Peer::act() {
  switch (kind_) {
    case Kind::kNeverReads:
      if (!out_.empty()) return flush();
      for (int i = 0; i < 200; ++i) out_ += kGet;
      counts_.bad_requests += 200;
      return flush();
    case Kind::kNeverWrites:
      return;
    case Kind::kDrips:
      ++counts_.bad_requests;
      return send(kGet.substr(dripped_++ % kGet.size(), 1));
    case Kind::kGuesses:
      ++counts_.bad_requests;
      return send(post("qry_" + std::to_string(number_ * 7919 + next_), kPing));
    case Kind::kPipelines:
      counts_.bad_requests += 20;
      for (int i = 0; i < 20; ++i) out_ += kGet;
      return flush();
    case Kind::kHalfCloses:
      ++counts_.bad_requests;
      send(kGet);
      if (socket_ >= 0) ::shutdown(socket_, SHUT_WR);
      return;
    case Kind::kIdle:
      if (next_ == 0) return;
      next_ = ~Time{0};
      return send(kGet);
    case Kind::kGood:
      if (asked_ == 0) ask();
  }
}

void Peer::ask() {
  asked_ = clock_now();
  send(post(host_.token, question(number_)));
}

void Peer::send(std::string_view bytes) {
  out_ += bytes;
  flush();
}

void Peer::flush() {
  while (socket_ >= 0 && !out_.empty()) {
    const ssize_t sent = ::send(socket_, out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      out_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == ENOTCONN) {
      return;
    } else {
      return closed_by_server();
    }
  }
}

void Peer::on_ready(std::uint32_t events) {
  if (socket_ < 0) return;
  if ((events & EPOLLOUT) != 0 && kind_ != Kind::kNeverReads) flush();
  if (socket_ >= 0 && (events & (EPOLLIN | EPOLLRDHUP)) != 0) return read();
  if (socket_ >= 0 && (events & (EPOLLERR | EPOLLHUP)) != 0) closed_by_server();
}

void Peer::read() {
  char buffer[16384];
  for (;;) {
    const ssize_t size = ::recv(socket_, buffer, sizeof buffer, 0);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) return closed_by_server();
    if (kind_ != Kind::kGood) continue;
    in_.append(buffer, static_cast<std::size_t>(size));
    take_answer();
  }
}

/// Reads the response of a good client; it has a length, since no events are requested.
void Peer::take_answer() {
  const std::size_t head = in_.find("\r\n\r\n");
  const std::size_t length = in_.find("Content-Length: ");
  if (head == in_.npos || length == in_.npos || asked_ == 0) return;
  const std::size_t body = std::strtoul(in_.c_str() + length + 16, nullptr, 10);
  if (in_.size() < head + 4 + body) return;
  if (in_.starts_with("HTTP/1.1 200") && in_.find(R"("isError":false)") != in_.npos) {
    counts_.times.push_back(clock_now() - asked_);
  } else {
    ++counts_.failed;
  }
  asked_ = 0;
  retried_ = false;
  in_.clear();
}

void Peer::closed_by_server() {
  if (is_bad()) ++counts_.bad_closed;
  close();
  if (kind_ == Kind::kIdle) return;
  next_ = clock_now() + kSecond;
  if (asked_ == 0) return;
  // An idle connection may have been closed while the question was in transit: clients then retry
  // once. The time keeps running.
  if (std::exchange(retried_, true)) {
    ++counts_.failed;
    asked_ = 0;
    return;
  }
  connect();
  if (socket_ >= 0) send(post(host_.token, question(number_)));
}

}  // namespace quarry::load
