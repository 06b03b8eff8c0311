#include "passed_sockets.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::http_server {
namespace {

constexpr int kFirst = 3;  // SD_LISTEN_FDS_START
constexpr int kMost = 1024;

int number_in(const std::string& text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size() ? value : 0;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read only
  return value == nullptr ? std::string() : std::string(value);
}

bool listens(int socket) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0;
}

/// The address of a TCP socket; without an IP for another one.
Address address_of(int socket) {
  Address out;
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0) return out;
  char text[INET6_ADDRSTRLEN] = {};
  if (at.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(at);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    out.port = ntohs(v4.sin_port);
  } else if (at.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(at);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    out.port = ntohs(v6.sin6_port);
  }
  out.ip = text;
  out.passed = socket;
  return out;
}

}  // namespace

std::vector<int> descriptors_named(const PassedSockets& passed, std::string_view name, int self) {
  std::vector<int> out;
  if (number_in(passed.process) != self) return out;
  const int count = number_in(passed.count);
  std::string_view names = passed.names;
  for (int i = 0; i < count && i < kMost; ++i) {
    const std::string_view one = names.substr(0, names.find(':'));
    names.remove_prefix(std::min(names.size(), one.size() + 1));
    if (one == name) out.push_back(kFirst + i);
  }
  return out;
}

std::expected<std::vector<Address>, std::string> passed_sockets(std::string_view name) {
  const PassedSockets passed{variable("LISTEN_PID"), variable("LISTEN_FDS"),
                             variable("LISTEN_FDNAMES")};
  std::vector<Address> out;
  for (const int socket : descriptors_named(passed, name, ::getpid())) {
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    out.push_back(address_of(socket));
    if (!listens(socket) || out.back().ip.empty()) {
      return std::unexpected("the socket \"" + std::string(name) +
                             "\" of the service manager is no TCP socket that listens");
    }
  }
  return out;
}

}  // namespace quarry::http_server
