#include "client.h"

#include "http_server/request.h"

#include <algorithm>
#include <cstdlib>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace quarry::http_server::testing {

Client::Client(std::uint16_t port, const std::string& from)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (!from.empty()) {
    inet_pton(AF_INET, from.c_str(), &address.sin_addr);
    bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Client::~Client() {
  close();
}

void Client::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Client::reset() {
  const linger now{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

bool Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t Client::send_some(std::string_view request) {
  std::size_t total = 0;
  for (;;) {
    const std::string_view rest = request.substr(offset_);
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return total;
    total += static_cast<std::size_t>(sent);
    offset_ = (offset_ + static_cast<std::size_t>(sent)) % request.size();
    if (total >= request.size()) return total;
  }
}

void Client::finish_sending() {
  shutdown(socket_, SHUT_WR);
}

void Client::shrink_receive_buffer() {
  const int size = 4096;
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

bool Client::fill() {
  if (!wait_for_bytes(socket_)) return false;
  char buffer[16384];
  const ssize_t size = recv(socket_, buffer, sizeof buffer, 0);
  if (size <= 0) return false;
  pending_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

bool Client::has_bytes() const {
  pollfd now{socket_, POLLIN, 0};
  return !pending_.empty() || poll(&now, 1, 0) > 0;
}

std::string Client::receive_until(std::string_view end) {
  std::size_t at = 0;
  std::size_t searched = 0;
  while ((at = pending_.find(end, searched)) == std::string::npos) {
    searched = pending_.size() - std::min(pending_.size(), end.size());
    if (!fill()) {
      std::string rest;
      std::swap(rest, pending_);
      return rest;
    }
  }
  std::string found = pending_.substr(0, at + end.size());
  pending_.erase(0, at + end.size());
  return found;
}

std::string Client::receive_all(bool* closed) {
  while (fill()) {
  }
  if (closed != nullptr) *closed = is_closed_by_server();
  std::string all;
  std::swap(all, pending_);
  return all;
}

bool Client::is_closed_by_server() {
  char byte = 0;
  return wait_for_bytes(socket_) && recv(socket_, &byte, 1, MSG_PEEK) <= 0;
}

std::string Client::Answer::header(std::string_view name) const {
  std::size_t at = head.find("\r\n");
  while (at != std::string::npos && at + 2 < head.size()) {
    const std::size_t begin = at + 2;
    at = head.find("\r\n", begin);
    const std::string_view line(head.data() + begin, at - begin);
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !equal_ignoring_case(line.substr(0, colon), name)) continue;
    return std::string(line.substr(std::min(line.size(), colon + 2)));
  }
  return {};
}

Client::Answer Client::receive(bool head_only) {
  Answer answer;
  answer.head = receive_until("\r\n\r\n");
  if (answer.head.size() < 12) return answer;
  answer.status = std::atoi(answer.head.c_str() + 9);
  const bool has_body = answer.status != 100 && answer.status != 204 && answer.status != 304;
  if (head_only || !has_body) return answer;
  const std::string length = answer.header("Content-Length");
  if (length.empty()) {
    answer.body = receive_until("0\r\n\r\n");
    return answer;
  }
  const auto size = static_cast<std::size_t>(std::atoll(length.c_str()));
  while (pending_.size() < size && fill()) {
  }
  answer.body = pending_.substr(0, size);
  pending_.erase(0, size);
  return answer;
}

bool wait_for_bytes(int descriptor) {
  constexpr std::chrono::milliseconds kUsual{10'000};
  pollfd waiting{descriptor, POLLIN, 0};
  return poll(&waiting, 1, static_cast<int>(patience(kUsual).count())) > 0;
}

Client::Answer fetch(std::uint16_t port, std::string_view request) {
  Client client(port);
  client.send(request);
  return client.receive(request.starts_with("HEAD"));
}

std::string get(std::string_view path, std::string_view fields) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) +
         "\r\n";
}

std::string with_json(std::string_view method, std::string_view path, std::string_view body,
                      std::string_view fields) {
  return std::string(method) + " " + std::string(path) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

}  // namespace quarry::http_server::testing
