#include "cli/upgrade/control_socket.h"

#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <unistd.h>
#include <utility>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

namespace quarry::cli {
namespace {

constexpr std::string_view kPrefix = "@quarry.serve.";
constexpr std::size_t kMostText = 4096;
constexpr timeval kCommandTime{1, 0};

struct Address {
  explicit Address(pid_t process) {
    std::string name = std::string(kPrefix) + std::to_string(process);
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, name.data(), name.size());
    at.sun_path[0] = '\0';  // abstract
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&at); }

  sockaddr_un at{};
  socklen_t size = 0;
};

std::optional<ucred> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return known ? std::optional(peer) : std::nullopt;
}

/// A packet; empty at the end or after a time limit of the socket.
std::string receive(int socket) {
  std::string text(kMostText, '\0');
  ssize_t got = 0;
  do got = ::recv(socket, text.data(), text.size(), 0);
  while (got < 0 && errno == EINTR);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// A socket connected to a server of this user, or of anybody for root.
Fd connect_to(pid_t server) {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const Address address(server);
  if (!socket || ::connect(socket.get(), address.get(), address.size) != 0) return {};
  const auto peer = peer_of(socket.get());
  const bool trusted =
      peer && peer->pid == server && (peer->uid == ::geteuid() || ::geteuid() == 0);
  return trusted ? std::move(socket) : Fd();
}

}  // namespace

Result<ControlSocket> ControlSocket::open() {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const Address address(::getpid());
  if (!socket || ::bind(socket.get(), address.get(), address.size) != 0 ||
      ::listen(socket.get(), 8) != 0) {
    return system_error("cannot listen for commands of the operator", errno);
  }
  return ControlSocket(std::move(socket));
}

std::optional<ControlSocket::Caller> ControlSocket::accept() {
  for (;;) {
    Fd socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) return std::nullopt;
    const auto peer = peer_of(socket.get());
    if (!peer || (peer->uid != ::geteuid() && peer->uid != 0)) continue;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kCommandTime, sizeof kCommandTime);
    std::string command = receive(socket.get());
    if (!command.empty()) return Caller{std::move(socket), std::move(command)};
  }
}

void ControlSocket::Caller::answer(std::string_view text) const {
  ::send(socket.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

std::vector<pid_t> controlled_servers() {
  std::vector<pid_t> out;
  const auto sockets = read_file("/proc/net/unix");
  if (!sockets) return out;
  for (const std::string_view line : split(*sockets, '\n')) {
    const std::size_t at = line.find(kPrefix);
    if (at == line.npos) continue;
    const std::string_view number = line.substr(at + kPrefix.size());
    pid_t process = 0;
    std::from_chars(number.data(), number.data() + number.size(), process);
    const bool known = std::ranges::find(out, process) != out.end();  // each caller has a line too
    if (!known && process > 0 && connect_to(process)) out.push_back(process);
  }
  return out;
}

Result<std::string> command_server(pid_t server, std::string_view command, Signals& signals) {
  const Fd socket = connect_to(server);
  if (!socket) {
    return Error{Code::kNotFound,
                 "process " + std::to_string(server) + " is no server of this user",
                 "\"quarry serve\" starts one; root reaches those of all users."};
  }
  ::send(socket.get(), command.data(), command.size(), MSG_NOSIGNAL);
  if (signals.wait_for_input(socket.get())) {
    return Error{Code::kCancelled, "interrupted; the server goes on with the command", ""};
  }
  std::string answer = receive(socket.get());
  if (!answer.empty()) return answer;
  return Error{Code::kUnavailable, "process " + std::to_string(server) + " ended without an answer",
               "Its log tells why."};
}

}  // namespace quarry::cli
