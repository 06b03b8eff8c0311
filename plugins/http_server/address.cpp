#include "address.h"

#include <charconv>
#include <optional>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace quarry::http_server {
namespace {

bool is_v4(const std::string& ip) {
  in_addr parsed{};
  return inet_pton(AF_INET, ip.c_str(), &parsed) == 1;
}

bool is_v6(const std::string& ip) {
  in6_addr parsed{};
  return inet_pton(AF_INET6, ip.c_str(), &parsed) == 1;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return port;
}

bool is_bracketed(std::string_view text) {
  return text.size() > 2 && text.front() == '[' && text.back() == ']';
}

}  // namespace

bool Address::is_loopback() const {
  return ip.starts_with("127.") || ip == "::1";
}

std::string Address::url() const {
  const bool v6 = ip.find(':') != ip.npos;
  return (secure ? "https://" : "http://") + (v6 ? "[" + ip + "]" : ip) + ":" +
         std::to_string(port);
}

std::vector<Address> parse_listen(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return {};
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return {};
  const std::string host(text.substr(0, colon));
  if (host == "localhost") return {{"127.0.0.1", *port}, {"::1", *port, true}};
  if (!is_ip_literal(host)) return {};
  return {{is_bracketed(host) ? host.substr(1, host.size() - 2) : host, *port}};
}

bool is_ip_literal(std::string_view text) {
  if (is_bracketed(text)) return is_v6(std::string(text.substr(1, text.size() - 2)));
  return is_v4(std::string(text));
}

std::string canonical_ip(const std::string& text) {
  in6_addr parsed{};
  if (inet_pton(AF_INET6, text.c_str(), &parsed) != 1) return text;
  char out[INET6_ADDRSTRLEN] = {};
  if (IN6_IS_ADDR_V4MAPPED(&parsed)) {
    inet_ntop(AF_INET, &parsed.s6_addr[12], out, sizeof out);
  } else {
    inet_ntop(AF_INET6, &parsed, out, sizeof out);
  }
  return out;
}

}  // namespace quarry::http_server
