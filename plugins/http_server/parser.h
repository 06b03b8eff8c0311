#pragma once

#include "options.h"
#include "request.h"
#include "response.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::http_server {

/// Parses the bytes of one connection into requests, one at a time. Stricter than RFC 9112 requires
/// wherever two parsers of one message could disagree (bare line feeds, folded fields, two lengths,
/// length beside transfer coding, unknown transfer codings): such a message is refused. No I/O.
class RequestParser {
 public:
  enum class Step {
    kNeedMore,  // append, then parse again
    kHead,      // returned once, if a body follows: request() has everything but the body
    kComplete,  // request() is complete; forget() continues with the next
    kRefused,   // refusal() has the reason; nothing more can be parsed from these bytes
  };

  explicit RequestParser(const Limits& limits);  // limits must outlive the parser
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Takes the next bytes. Not while views of request() are in use.
  void append(std::string_view bytes);
  /// True if more bytes may be appended: false while the longest allowed header is unparsed.
  [[nodiscard]] bool accepts_bytes() const {
    return in_body() || input_.size() < limits_.header_bytes;
  }
  [[nodiscard]] Step parse();

  /// Valid from kHead or kComplete until forget; its views of the body only from kComplete.
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] bool keep_alive() const;
  /// True if the client waits for "100 Continue" before it sends the body. From kHead on.
  [[nodiscard]] bool expects_continue() const;
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

  /// The Content-Length, 0 if the header has none. From kHead on.
  [[nodiscard]] std::uint64_t announced_body() const;
  /// Bytes of an incomplete body in memory.
  [[nodiscard]] std::size_t held_body() const;

  /// Drops the complete request. Bytes after it stay.
  void forget();
  /// Frees all memory. Nothing may be parsed afterwards.
  void drop();
  /// True if the header is complete.
  [[nodiscard]] bool in_body() const { return head_size_ != 0; }
  /// True if no byte of the next request has arrived.
  [[nodiscard]] bool idle() const { return head_size_ == 0 && input_.empty(); }

 private:
  class Message;
  struct Found;

  [[nodiscard]] Step find_head();
  [[nodiscard]] Step parse_head();
  [[nodiscard]] Step parse_body();
  [[nodiscard]] Step check_framing();
  [[nodiscard]] bool take_target();
  [[nodiscard]] Step refuse(int status, std::string_view message, std::string_view hint = {});

  const Limits& limits_;
  std::string input_;          // the header, not moved, since request_ has views of it
  std::string body_input_;     // the bytes that follow it, as received
  std::size_t scanned_ = 0;    // bytes that find_head has examined
  std::size_t head_size_ = 0;  // 0 until the header is complete
  std::size_t parsed_ = 0;     // of body_input_
  std::size_t minimum_ = 1;    // unparsed bytes without which parsing again is useless
  bool skipped_line_ = false;
  std::unique_ptr<Found> found_;
  Request request_;
  Refusal refusal_;
};

}  // namespace quarry::http_server
