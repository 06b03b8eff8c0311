#include "services/endpoint.h"

#include "base/file.h"
#include "base/text.h"
#include "services/egress_policy.h"
#include "services/line_stream.h"

#include <cerrno>
#include <charconv>
#include <system_error>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::services {
namespace {

const std::vector<std::string> kLocalhost{"127.0.0.1", "::1"};

/// errno of the connection attempt; 0 on success.
int wait_for(int socket, std::chrono::milliseconds limit) {
  if (!wait_until_writable(socket, limit)) return ETIMEDOUT;
  int number = 0;
  socklen_t size = sizeof number;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size) == 0 ? number : errno;
}

int connect_to(const std::string& address, std::uint16_t port, std::chrono::milliseconds limit) {
  sockaddr_in four{};
  sockaddr_in6 six{};
  const bool dotted = ::inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1;
  if (!dotted && ::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) != 1) return EINVAL;
  four.sin_family = AF_INET;
  six.sin6_family = AF_INET6;
  four.sin_port = six.sin6_port = htons(port);
  const int family = dotted ? AF_INET : AF_INET6;
  const Fd socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  const auto* const raw =
      dotted ? reinterpret_cast<sockaddr*>(&four) : reinterpret_cast<sockaddr*>(&six);
  if (::connect(socket.get(), raw, dotted ? sizeof four : sizeof six) == 0) return 0;
  return errno == EINPROGRESS ? wait_for(socket.get(), limit) : errno;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failed != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

/// "https" and "me@host:1" for "Https://me@host:1/path"; an empty scheme if it is not such a URL.
std::pair<std::string, std::string_view> split_scheme(std::string_view url) {
  const std::size_t end = url.find("://");
  if (end == url.npos) return {};
  const std::string_view rest = url.substr(end + 3);
  return {to_lower(url.substr(0, end)), rest.substr(0, rest.find_first_of("/?#\\"))};
}

std::optional<Endpoint> parse_authority(std::string_view text, std::uint16_t usual_port) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == text.npos) return std::nullopt;
  const std::size_t colon = text.find(':', bracket);
  Endpoint out{to_lower(text.substr(0, colon)), usual_port};
  if (out.host.starts_with('[')) out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host.ends_with('.')) out.host.pop_back();
  if (out.host.empty()) return std::nullopt;
  if (colon != text.npos && colon + 1 < text.size()) {
    const auto port = parse_port(text.substr(colon + 1));
    if (!port) return std::nullopt;
    out.port = *port;
  }
  return out;
}

}  // namespace

std::optional<Endpoint> parse_endpoint(std::string_view url) {
  const auto [scheme, rest] = split_scheme(url);
  if (scheme != "http" && scheme != "https") return std::nullopt;
  if (rest.find('@') != rest.npos) return std::nullopt;
  return parse_authority(rest, scheme == "https" ? 443 : 80);
}

std::optional<Endpoint> parse_ssh_endpoint(std::string_view url) {
  auto [scheme, rest] = split_scheme(url);
  if (scheme != "ssh") return std::nullopt;
  return parse_authority(rest.substr(rest.rfind('@') + 1), 22);
}

bool is_loopback(const Endpoint& endpoint) {
  if (endpoint.host == "localhost") return true;
  const auto address = parse_address(endpoint.host);
  return address && special_purpose(*address) == "loopback";
}

Status try_connect(const Endpoint& endpoint, std::chrono::milliseconds limit) {
  const std::vector<std::string> addresses =
      endpoint.host == "localhost" ? kLocalhost : std::vector{endpoint.host};
  int number = EINVAL;
  for (const std::string& address : addresses) {
    const int failed = connect_to(address, endpoint.port, limit);
    if (failed == 0) return {};
    // The error of the first address is reported: the other one may not even exist.
    if (&address == &addresses.front()) number = failed;
  }
  return Error{Code::kUnavailable, number == ECONNREFUSED
                                       ? "connection refused"
                                       : std::generic_category().message(number)};
}

}  // namespace quarry::services
