#include "services/testing/scripted_server.h"

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <boost/asio/post.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::services::testing {

Peer::~Peer() {
  ::close(socket_);
}

bool Peer::read_more() {
  char buffer[64 << 10];
  const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
  if (count > 0) unread_.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

std::optional<std::string> Peer::request() {
  constexpr std::string_view kLength = "Content-Length: ";
  std::size_t head;
  while ((head = unread_.find("\r\n\r\n")) == unread_.npos)
    if (!read_more()) return std::nullopt;
  std::size_t size = head + 4;
  if (const auto at = unread_.find(kLength); at < head)
    size += std::strtoul(unread_.c_str() + at + kLength.size(), nullptr, 10);
  while (unread_.size() < size)
    if (!read_more()) return std::nullopt;
  std::string whole = unread_.substr(0, size);
  unread_.erase(0, size);
  return whole;
}

bool Peer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void Peer::wait_until_closed() {
  while (read_more()) unread_.clear();
}

void Peer::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  const int closed = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(closed, socket_);  // the descriptor stays reserved until destruction
  ::close(closed);
}

void Peer::end() {
  ::shutdown(socket_, SHUT_RDWR);
}

ScriptedServer::ScriptedServer(Script script) : script_(std::move(script)) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_, any, size) != 0 || ::listen(socket_, 512) != 0) std::abort();
  ::getsockname(socket_, any, &size);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(socket_, SHUT_RDWR);
  accepting_.join();
  ::close(socket_);
  for (Peer& peer : peers_) peer.end();
  for (std::thread& thread : threads_) thread.join();
}

void ScriptedServer::accept_all() {
  for (;;) {
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    ++connections_;
    Peer& peer = peers_.emplace_back(socket);
    threads_.emplace_back([this, &peer] {
      script_(peer);
      peer.end();
    });
  }
}

std::string ScriptedServer::url(std::string_view path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
}

std::string ok(std::string_view body, std::string_view headers) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(headers) + "\r\n" + std::string(body);
}

std::string redirect(int status, std::string_view location) {
  return "HTTP/1.1 " + std::to_string(status) + " Moved\r\nLocation: " + std::string(location) +
         "\r\nContent-Length: 4\r\n\r\ngone";
}

ClientHost::ClientHost(std::map<std::string, std::string> environment,
                       std::vector<std::string> allowed)
    : policy_(EgressPolicy::make(allowed).value()),
      secrets_(
          {{"key", {SecretSource::From::kEnvironment, {"KEY"}}},
           {"broken", {SecretSource::From::kEnvironment, {"BROKEN"}}},
           {"slow", {SecretSource::From::kCommand, {"sleep", "1000"}}}},
          [](const char* name) {
            return std::string_view(name) == "KEY" ? std::getenv("QUARRY_TEST_KEY") : "two\nlines";
          },
          processes_, redactor_) {
  client_.emplace(HttpClient::Parts{io_, workers_, policy_, secrets_, redactor_},
                  [&](const char* name) -> const char* {
                    const auto found = environment.find(name);
                    return found == environment.end() ? nullptr : found->second.c_str();
                  });
  loop_ = std::thread([this] { io_.run(); });
}

ClientHost::~ClientHost() {
  destroy();
}

void ClientHost::post(std::function<void()> work) {
  boost::asio::post(io_, std::move(work));
}

void ClientHost::destroy() {
  if (!loop_.joinable()) return;
  io_.stop();
  loop_.join();
  client_.reset();
  workers_.shutdown();
}

HttpCallbacks ClientHost::into(Received& received) {
  return {[&](const HttpHead& head) { received.head = head; },
          [&](std::string_view bytes) { received.body += bytes; },
          [&](Result<HttpOutcome> outcome) { received.ended.set_value(std::move(outcome)); }};
}

Result<HttpOutcome> ClientHost::fetch(HttpRequest request, Received& received,
                                      HttpOptions options) {
  client_->start(std::move(request), into(received), std::move(options));
  return received.ended.get_future().get();
}

Result<HttpOutcome> ClientHost::fetch(HttpRequest request, HttpOptions options) {
  Received received;
  return fetch(std::move(request), received, std::move(options));
}

}  // namespace quarry::services::testing
