#include "cli/upgrade/listening_sockets.h"

#include "base/directory_entries.h"

#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace quarry::cli {
namespace {

/// "127.0.0.1:4100" or "[::1]:4100", as in a URL; empty if the socket is none of TCP that listens.
std::string address_of(int socket) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return {};
  }
  sockaddr_storage at{};
  size = sizeof at;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0) return {};
  char text[INET6_ADDRSTRLEN] = {};
  if (at.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(at);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  if (at.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(at);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  return {};
}

/// The address in a URL; empty if it is none.
std::string_view address_in(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos) return {};
  url.remove_prefix(scheme + 3);
  return url.substr(0, url.find('/'));
}

/// Descriptors of this process.
std::vector<int> open_descriptors() {
  std::vector<int> out;
  for (const auto& entry : entries_of("/proc/self/fd")) {
    const std::string name = entry.path().filename();
    int descriptor = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (read.ec == std::errc()) out.push_back(descriptor);
  }
  return out;
}

}  // namespace

std::vector<NamedSocket> listening_sockets(std::span<const engine::Listening> listening) {
  std::map<std::string, std::string, std::less<>> transports;
  for (const auto& [transport, url] : listening) transports.emplace(address_in(url), transport);
  std::vector<NamedSocket> out;
  std::set<ino_t> known;  // several descriptors may be of one socket
  for (const int descriptor : open_descriptors()) {
    const std::string address = address_of(descriptor);
    const auto found = address.empty() ? transports.end() : transports.find(address);
    struct stat status {};
    if (found == transports.end() || ::fstat(descriptor, &status) != 0) continue;
    if (known.insert(status.st_ino).second) out.push_back({descriptor, found->second});
  }
  return out;
}

}  // namespace quarry::cli
