#include "engine/testing/stream_server.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace quarry::engine::testing {
namespace {

std::string read_request(int socket) {
  std::string text;
  char buffer[4096];
  while (true) {
    const std::size_t head = text.find("\r\n\r\n");
    if (head != std::string::npos) {
      std::string lower = text.substr(0, head);
      std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
      const std::size_t at = lower.find("content-length: ");
      const std::size_t length =
          at == std::string::npos ? 0 : std::strtoul(lower.c_str() + at + 16, nullptr, 10);
      if (text.size() >= head + 4 + length) return text;
    }
    const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
    if (got <= 0) return {};
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

StreamServer::StreamServer(Script answer) : answer_(std::move(answer)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, raw, size) != 0 || ::listen(listener_, 64) != 0) std::abort();
  ::getsockname(listener_, raw, &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

StreamServer::~StreamServer() {
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

std::vector<std::string> StreamServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void StreamServer::wait_for_a_request() const {
  std::unique_lock lock(mutex_);
  received_.wait(lock, [this] { return !requests_.empty(); });
}

void StreamServer::serve() {
  for (int socket = 0; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    talk(socket);
    ::close(socket);
  }
}

void StreamServer::talk(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::string request = read_request(socket);
  if (request.empty()) return;
  std::size_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = requests_.size();
    requests_.push_back(request);
    received_.notify_all();
  }
  const Answer answer = answer_(number, request);
  std::string head =
      "HTTP/1.1 " + std::to_string(answer.status) + " X\r\nConnection: close\r\n" + answer.headers;
  if (answer.promised > 0) head += "Content-Length: " + std::to_string(answer.promised) + "\r\n";
  if (!send_all(socket, head + "\r\n")) return;
  for (std::size_t at = 0; at < answer.body.size(); at += answer.piece) {
    if (!send_all(socket, std::string_view(answer.body).substr(at, answer.piece))) return;
  }
  char gone = 0;
  if (answer.hang) ::recv(socket, &gone, 1, 0);
}

}  // namespace quarry::engine::testing
