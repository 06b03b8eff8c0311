#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace quarry::http_server {

/// A response with a complete body. `headers` are more complete lines, each "Name: value\r\n".
struct Response {
  int status = 200;
  std::string body;
  std::string_view content_type = "application/json";  // a literal; empty = no body, no type
  std::string headers;

  static Response json(std::string body) {
    Response response;
    response.body = std::move(body);
    return response;
  }
  /// 204
  static Response no_content() {
    Response response;
    response.status = 204;
    response.content_type = {};
    return response;
  }
};

/// A refusal by the server itself: a malformed request, or a limit.
struct Refusal {
  int status = 400;
  std::string_view message;  // a sentence for a person
  std::string_view hint;     // what to do next; may be empty
  std::string_view request_id = {};
  std::string_view peer = {};  // as in Request
};

/// The part of a response head that depends on the connection.
struct HeadContext {
  std::string_view request_id;
  bool http_1_0 = false;
  bool keep_alive = true;
};

/// Appends the head of `response` and, unless `head_only`, its body.
void render(std::string& out, const Response& response, const HeadContext& context, bool head_only);

/// Appends the head of a stream: chunked, or closed at its end for HTTP/1.0.
void render_stream_head(std::string& out, const Response& head, const HeadContext& context);

/// Appends one chunk of the chunked coding. `bytes` must not be empty.
void render_chunk(std::string& out, std::string_view bytes);

inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// "Not Found" for 404; "Status" for a number without a phrase of its own.
[[nodiscard]] std::string_view reason_phrase(int status);

}  // namespace quarry::http_server
