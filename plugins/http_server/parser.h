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

/// Bytes of one connection in, requests out, one after the other. Stricter than RFC 9112 asks
/// wherever two readers of one message could differ (bare line feeds, folded fields, two lengths,
/// length beside transfer coding, unknown transfer codings): such a message is refused. No I/O.
class RequestParser {
 public:
  enum class Step {
    kNeedMore,  // append, then parse again
    kHead,      // said once, when a body follows: request() has everything but the body
    kComplete,  // request() is whole; forget() goes on with the next
    kRefused,   // refusal() says why; nothing more can be read from these bytes
  };

  explicit RequestParser(const Limits& limits);  // limits must outlive the parser
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Takes the next bytes. Not while views of request() are in use.
  void append(std::string_view bytes);
  /// Whether it bears more bytes: false while as much as a whole header is waiting already.
  [[nodiscard]] bool has_room() const { return in_body() || input_.size() < limits_.header_bytes; }
  [[nodiscard]] Step parse();

  /// Valid from kHead or kComplete until forget; its views of the body only from kComplete.
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] bool keep_alive() const;
  /// Whether the client waits for "100 Continue" before it sends the body. From kHead on.
  [[nodiscard]] bool expects_continue() const;
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

  /// The length of the body, where its header names one. From kHead on.
  [[nodiscard]] std::uint64_t announced_body() const;
  /// Bytes of a body that are held until it is whole.
  [[nodiscard]] std::size_t held_body() const;

  /// Drops the complete request. Bytes behind it stay.
  void forget();
  /// Gives all memory back, when nothing more is to be read.
  void drop();
  /// Whether the header is whole.
  [[nodiscard]] bool in_body() const { return head_size_ != 0; }
  /// Whether no byte of the next request has come.
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
  std::string input_;          // the header, kept in place for the views of request_
  std::string body_input_;     // what follows it, as it came
  std::size_t scanned_ = 0;    // bytes find_head has looked at
  std::size_t head_size_ = 0;  // 0 until the header is whole
  std::size_t parsed_ = 0;     // of body_input_
  std::size_t minimum_ = 1;    // unparsed bytes below which another look is useless
  bool skipped_line_ = false;
  std::unique_ptr<Found> found_;
  Request request_;
  Refusal refusal_;
};

}  // namespace quarry::http_server
