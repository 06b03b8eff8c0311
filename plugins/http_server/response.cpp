#include "response.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>

namespace quarry::http_server {
namespace {

void append_number(std::string& out, std::size_t number, int base = 10) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

/// The current "Date: …\r\n" line, rendered once per second and thread.
std::string_view date_line() {
  thread_local std::time_t second = 0;
  thread_local std::array<char, 48> line;
  thread_local std::size_t size = 0;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    // The process uses the "C" locale, so names of days and months are those of RFC 9110.
    size = std::strftime(line.data(), line.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
    second = now;
  }
  return {line.data(), size};
}

/// False if a response of this status ends with its head. A length is not that of a body then, and
/// a cache would take that of 304 for the length of what it has (RFC 9110, 8.6).
bool has_body(int status) {
  return status != 204 && status != 304;
}

void append_start(std::string& out, const Response& response, const HeadContext& context) {
  if (response.status == 200) {
    out += "HTTP/1.1 200 OK\r\n";
  } else {
    out += "HTTP/1.1 ";
    append_number(out, static_cast<std::size_t>(response.status));
    out += ' ';
    out += reason_phrase(response.status);
    out += "\r\n";
  }
  out += date_line();
  if (!response.content_type.empty()) {
    out += "Content-Type: ";
    out += response.content_type;
    out += "\r\nX-Content-Type-Options: nosniff\r\n";
  }
  out += "X-Request-Id: ";
  out += context.request_id;
  out += "\r\n";
  out += response.headers;
  if (!context.keep_alive) {
    out += "Connection: close\r\n";
  } else if (context.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
}

}  // namespace

void render(std::string& out, const Response& response, const HeadContext& context,
            bool head_only) {
  out.reserve(out.size() + 320 + response.headers.size() + response.body.size());
  append_start(out, response, context);
  if (has_body(response.status)) {
    out += "Content-Length: ";
    append_number(out, response.body.size());
    out += "\r\n";
  }
  out += "\r\n";
  if (!head_only && has_body(response.status)) out += response.body;
}

void render_stream_head(std::string& out, const Response& head, const HeadContext& context) {
  append_start(out, head, context);
  if (!context.http_1_0) out += "Transfer-Encoding: chunked\r\n";
  out += "\r\n";
}

void render_chunk(std::string& out, std::string_view bytes) {
  append_number(out, bytes.size(), 16);
  out += "\r\n";
  out += bytes;
  out += "\r\n";
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

}  // namespace quarry::http_server
