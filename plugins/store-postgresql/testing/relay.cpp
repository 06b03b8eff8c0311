#include "store-postgresql/testing/relay.h"

#include <array>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::store_postgresql {
namespace {

constexpr int kLookAgainMs = 10;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// Sends all bytes; false if the peer is closed.
bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

Relay::Relay(int server_port) : server_port_(server_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, any, size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, any, &size) != 0) {
    throw std::runtime_error("the relay cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Relay::~Relay() {
  thread_ = {};
  ::close(listener_);
}

void Relay::cut(Cut where, const std::string& words) {
  words_ = words;
  where_ = where;
}

void Relay::run(const std::stop_token& stop) {
  std::vector<Link> links;
  while (!stop.stop_requested()) {
    std::vector<pollfd> polled{{listener_, POLLIN, 0}};
    for (const Link& link : links) {
      polled.push_back({link.program, POLLIN, 0});
      polled.push_back({link.server, POLLIN, 0});
    }
    ::poll(polled.data(), polled.size(), kLookAgainMs);
    std::vector<Link> left;
    for (std::size_t i = 0; i < links.size(); ++i) {
      bool alive = polled[2 * i + 1].revents == 0 || pass_on(links[i]);
      alive = alive && (polled[2 * i + 2].revents == 0 || pass_back(links[i]));
      if (alive) {
        left.push_back(links[i]);
      } else {
        ::close(links[i].program);
        ::close(links[i].server);
      }
    }
    links = std::move(left);
    if (polled[0].revents == 0) continue;
    Link link{::accept(listener_, nullptr, nullptr), ::socket(AF_INET, SOCK_STREAM, 0)};
    const sockaddr_in server = loopback(server_port_);
    if (::connect(link.server, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0) {
      ::shutdown(link.program, SHUT_RDWR);  // the server is down: the program's connection ends
    }
    links.push_back(link);
  }
  for (const Link& link : links) {
    ::close(link.program);
    ::close(link.server);
  }
}

bool Relay::pass_on(Link& link) {
  std::array<char, 16384> bytes{};
  const ssize_t size = ::recv(link.program, bytes.data(), bytes.size(), 0);
  if (size <= 0) return false;
  const std::string_view said(bytes.data(), static_cast<std::size_t>(size));
  if (where_ != Cut::kNever && said.find(words_) != said.npos) {
    const Cut where = where_.exchange(Cut::kNever);
    where_.notify_all();
    if (where == Cut::kBefore) return false;
    if (where == Cut::kSilence) return true;
    link.deaf = true;
  }
  return send_all(link.server, said);
}

bool Relay::pass_back(const Link& link) const {
  std::array<char, 16384> bytes{};
  const ssize_t size = ::recv(link.server, bytes.data(), bytes.size(), 0);
  if (size <= 0 || link.deaf) return false;
  return send_all(link.program, {bytes.data(), static_cast<std::size_t>(size)});
}

}  // namespace quarry::store_postgresql
