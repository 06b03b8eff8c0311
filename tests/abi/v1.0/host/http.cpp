// HTTP/1.0 to addresses of this machine.
#include "common.h"

#include <algorithm>
#include <netdb.h>
#include <poll.h>
#include <unistd.h>

#include <sys/socket.h>

namespace frozen {
namespace {

struct Socket {
  int file = -1;
  ~Socket() {
    if (file >= 0) ::close(file);
  }
};

std::optional<Failure> connect(const std::string& host, const std::string& port, Socket& to) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0)
    return Failure{QUARRY_UNAVAILABLE, host + " is unknown", "", ""};
  to.file = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = ::connect(to.file, found->ai_addr, found->ai_addrlen) == 0;
  ::freeaddrinfo(found);
  if (connected) return std::nullopt;
  return Failure{QUARRY_UNAVAILABLE, "no connection to " + host + ":" + port, "", ""};
}

/// Everything until the other side closes.
std::optional<Failure> read_all(const quarry_call* call, const Socket& from, std::string& bytes) {
  for (;;) {
    if (const auto state = calls().state(call); state != QUARRY_OK)
      return Failure{state, "the call is over", "", ""};
    pollfd file{from.file, POLLIN, 0};
    if (::poll(&file, 1, 20) == 0) continue;
    char part[65536];
    const ssize_t size = ::read(from.file, part, sizeof part);
    if (size <= 0) return std::nullopt;
    bytes.append(part, static_cast<std::size_t>(size));
  }
}

std::string header(const Response& response, std::string_view lower_name) {
  for (const auto& [name, value] : response.headers) {
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 32 : c);
    if (lower == lower_name) return value;
  }
  return {};
}

std::optional<Failure> parse(const std::string& bytes, Response& response) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == bytes.npos || bytes.compare(0, 5, "HTTP/") != 0)
    return Failure{QUARRY_UNAVAILABLE, "the response has no head", "", ""};
  response.status = std::stoi(bytes.substr(9, 3));
  response.body = bytes.substr(end + 4);
  if (response.body.size() > QUARRY_LIMIT_RESPONSE_BODY)
    return Failure{QUARRY_RESOURCE_EXHAUSTED, "the response is too large", "", ""};
  for (auto at = bytes.find("\r\n"); at < end; at = bytes.find("\r\n", at + 2)) {
    const auto colon = bytes.find(':', at), stop = bytes.find("\r\n", at + 2);
    auto value = bytes.find_first_not_of(' ', colon + 1);
    response.headers.emplace_back(bytes.substr(at + 2, colon - at - 2),
                                  bytes.substr(value, stop - value));
  }
  const auto length = header(response, "content-length");
  response.complete =
      length.empty() || response.status == 304 || std::stoull(length) == response.body.size();
  return std::nullopt;
}

std::optional<Failure> fetch_once(const quarry_call* call, const Request& request,
                                  Response& response) {
  std::string host, port;
  if (auto failure = check_url(request.url, host, port)) return failure;
  const auto path = request.url.find('/', request.url.find("://") + 3);
  Socket socket;
  if (auto failure = connect(host, port, socket)) return failure;
  std::string wire = request.method + " " +
                     (path == request.url.npos ? "/" : request.url.substr(path)) +
                     " HTTP/1.0\r\nHost: " + host + ":" + port +
                     "\r\nContent-Length: " + std::to_string(request.body.size()) + "\r\n";
  for (const auto& [name, value] : request.headers) wire += name + ": " + value + "\r\n";
  wire += "\r\n" + request.body;
  if (::send(socket.file, wire.data(), wire.size(), MSG_NOSIGNAL) < 0)
    return Failure{QUARRY_UNAVAILABLE, "the request could not be sent", "", ""};
  std::string bytes;
  if (auto failure = read_all(call, socket, bytes)) return failure;
  response = {};
  response.url = request.url;
  return parse(bytes, response);
}

}  // namespace

std::optional<Failure> check_url(std::string_view url, std::string& host, std::string& port) {
  const auto begin = url.find("://") == url.npos ? 0 : url.find("://") + 3;
  const auto authority = url.substr(begin, url.find('/', begin) - begin);
  host = authority.substr(0, authority.find(':'));
  port = authority.find(':') == authority.npos ? (url.substr(0, 5) == "https" ? "443" : "80")
                                               : authority.substr(authority.find(':') + 1);
  if (host == "127.0.0.1" || host == "localhost") return std::nullopt;
  return Failure{
      QUARRY_PERMISSION_DENIED, host + " is not on this machine", "",
      "{\"host\": " + json_text(host) + ", \"redirect\": false, \"refusedBy\": \"network\"}"};
}

std::optional<Failure> fill(const quarry_http_request& from, Request& to) {
  if (!QUARRY_HAS(&from, reserved))
    return Failure{QUARRY_INVALID_ARGUMENT, "the request is too short", "", ""};
  to.method = view(from.method);
  to.url = view(from.url);
  if (from.body.size > QUARRY_LIMIT_REQUEST_BODY)
    return Failure{QUARRY_RESOURCE_EXHAUSTED, "the body is too large", "", ""};
  to.body = view(from.body);
  to.timeout_ms = from.timeout_ms;
  to.redirects = from.max_redirects == 0
                     ? kUsualRedirects
                     : std::clamp<int>(from.max_redirects, 0, QUARRY_LIMIT_REDIRECTS);
  to.stops_at_redirect = from.max_redirects != 0;
  for (std::uint32_t i = 0; i < from.header_count; ++i) {
    const quarry_header& header = *from.headers[i];
    std::string value(view(header.value));
    if (QUARRY_HAS(&header, secret) && header.secret.size != 0) {
      const auto found = settings().secrets.find(std::string(view(header.secret)));
      if (found == settings().secrets.end())
        return Failure{QUARRY_PERMISSION_DENIED, "the secret is not permitted", "", ""};
      value += found->second;
    }
    to.headers.emplace_back(view(header.name), value);
  }
  return std::nullopt;
}

std::optional<Failure> fetch(const quarry_call* parent, Request request, Response& response) {
  const auto limit = request.timeout_ms == 0 ? INT64_MAX : request.timeout_ms;
  const quarry_call* call = calls().open(parent, limit, nullptr, nullptr);
  if (call == nullptr) return Failure{QUARRY_INVALID_ARGUMENT, "this is no call", "", ""};
  auto failure = fetch_once(call, request, response);
  for (int i = 0; !failure && response.status / 100 == 3; ++i) {
    const auto location = header(response, "location");
    if (location.empty() || (i == request.redirects && request.stops_at_redirect)) break;
    if (i == request.redirects) {
      failure = Failure{QUARRY_UNAVAILABLE, "more than 5 redirects", "", ""};
      break;
    }
    request.url =
        location[0] == '/' ? request.url.substr(0, request.url.find('/', 8)) + location : location;
    failure = fetch_once(call, request, response);
  }
  calls().close(call);
  return failure;
}

}  // namespace frozen
