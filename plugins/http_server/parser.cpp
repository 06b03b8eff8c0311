#include "parser.h"

#include "buffer.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace quarry::http_server {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kBodyBuffer = 16 * 1024;
// Bytes of memory kept for the next request, also for the lifetime of a stream.
constexpr std::size_t kKeptHeader = 1024;
constexpr std::size_t kKeptBody = 512;
// The shortest remainder of a chunked body. Beast's parser fails an assertion if it needed more
// bytes and is called again with fewer than this.
constexpr std::size_t kShortestChunkedRest = std::string_view("0\r\n\r\n").size();

/// Parts of the message that Beast does not keep.
struct Noted {
  std::string_view method;
  std::string_view target;
  std::string_view host;
  std::string_view id;
  std::string_view expect;
  std::string_view content_length;
  std::string_view transfer_encoding;
  std::vector<Header> fields;
  std::string body;
  int version = 11;
  std::size_t hosts = 0;
  std::size_t lengths = 0;
  std::size_t transfer_encodings = 0;
  std::size_t expectations = 0;
  std::size_t authorizations = 0;
  std::size_t content_types = 0;
};

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

/// Beast's parser; records what it finds as views into the input.
class RequestParser::Message final : public http::basic_parser<true> {
 public:
  Message(const Limits& limits, Noted& found) : limits_(limits), found_(found) {
    header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    body_limit(limits.body_bytes);
  }

 private:
  using Text = boost::beast::string_view;
  using ErrorCode = boost::beast::error_code;

  static std::string_view view(Text text) { return {text.data(), text.size()}; }

  void on_request_impl(http::verb, Text method, Text target, int version, ErrorCode&) override {
    found_.method = view(method);
    found_.target = view(target);
    found_.version = version;
  }

  void on_field_impl(http::field known, Text name, Text value, ErrorCode& error) override {
    if (head_done_) return;  // fields of a trailer are ignored
    if (found_.fields.size() == limits_.header_count) {
      error = http::error::header_limit;
      return;
    }
    found_.fields.push_back({view(name), view(value)});
    note(known, found_.fields.back());
  }

  void note(http::field known, const Header& field) {
    if (known == http::field::host) {
      found_.host = field.value;
      ++found_.hosts;
    } else if (known == http::field::content_length) {
      found_.content_length = field.value;
      ++found_.lengths;
    } else if (known == http::field::transfer_encoding) {
      found_.transfer_encoding = field.value;
      ++found_.transfer_encodings;
    } else if (known == http::field::expect) {
      found_.expect = field.value;
      ++found_.expectations;
    } else if (known == http::field::authorization) {
      ++found_.authorizations;
    } else if (known == http::field::content_type) {
      ++found_.content_types;
    } else if (known == http::field::unknown && equal_ignoring_case(field.name, "x-request-id")) {
      found_.id = field.value;
    }
  }

  void on_header_impl(ErrorCode&) override { head_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
  void on_finish_impl(ErrorCode&) override {}
  void on_response_impl(int, Text, int, ErrorCode&) override {}

  std::size_t on_body_impl(Text bytes, ErrorCode&) override { return keep(bytes); }
  std::size_t on_chunk_body_impl(std::uint64_t, Text bytes, ErrorCode&) override {
    return keep(bytes);
  }
  std::size_t keep(Text bytes) {
    found_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  const Limits& limits_;
  Noted& found_;
  bool head_done_ = false;
};

/// Reused for every request, to keep its memory.
struct RequestParser::Found : Noted {
  std::optional<Message> message;

  void clear();
};

void RequestParser::Found::clear() {
  method = target = host = id = expect = content_length = transfer_encoding = {};
  fields.clear();
  empty(body, kKeptBody);
  version = 11;
  hosts = lengths = transfer_encodings = expectations = authorizations = content_types = 0;
  message.reset();
}

RequestParser::RequestParser(const Limits& limits)
    : limits_(limits), found_(std::make_unique<Found>()) {}

RequestParser::~RequestParser() = default;

void RequestParser::append(std::string_view bytes) {
  (head_size_ != 0 ? body_input_ : input_).append(bytes);
}

RequestParser::Step RequestParser::parse() {
  return head_size_ == 0 ? find_head() : parse_body();
}

/// Examines each line's end once, as it arrives. A line feed without CR is refused before the
/// header is complete, since it may never be complete.
RequestParser::Step RequestParser::find_head() {
  for (;;) {
    const std::size_t at = input_.find('\n', scanned_);
    if (at == input_.npos) break;
    if (at == 0 || input_[at - 1] != '\r')
      return refuse(400, "a line of the header ends without CR");
    scanned_ = at + 1;
    if (at == 1 && !skipped_line_) {
      // One empty line before a request is ignored (RFC 9112, 2.2).
      skipped_line_ = true;
      input_.erase(0, 2);
      scanned_ = 0;
      continue;
    }
    if (at >= 3 && input_[at - 2] == '\n') {
      head_size_ = at + 1;
      return parse_head();
    }
  }
  scanned_ = input_.size();
  if (input_.size() >= limits_.header_bytes) {
    return refuse(431, "the header of the request is too large", "Send fewer or shorter fields.");
  }
  return Step::kNeedMore;
}

RequestParser::Step RequestParser::parse_head() {
  const std::string_view head(input_.data(), head_size_);
  if (head.find("\n ") != head.npos || head.find("\n\t") != head.npos) {
    return refuse(400, "a field of the header is folded over several lines");
  }
  found_->message.emplace(limits_, *found_);
  boost::beast::error_code error;
  found_->message->put(boost::asio::const_buffer(head.data(), head.size()), error);
  if (error == http::error::header_limit) {
    return refuse(431, "the header of the request has too many fields");
  }
  if (error == http::error::body_limit) {
    return refuse(413, "the body of the request is too large");
  }
  if (error == http::error::bad_version) {
    return refuse(400, "only HTTP/1.0 and HTTP/1.1 are supported");
  }
  if (error) return refuse(400, "the header of the request is malformed");
  return check_framing();
}

RequestParser::Step RequestParser::check_framing() {
  const Found& found = *found_;
  if (found.lengths > 1) return refuse(400, "Content-Length is given twice");
  if (found.lengths == 1 && !is_number(found.content_length)) {
    return refuse(400, "Content-Length must be one number");
  }
  if (found.authorizations > 1) return refuse(400, "Authorization is given twice");
  if (found.content_types > 1) return refuse(400, "Content-Type is given twice");
  if (found.transfer_encodings > 0 &&
      (found.version == 10 || found.transfer_encodings > 1 || found.lengths > 0 ||
       !equal_ignoring_case(found.transfer_encoding, "chunked"))) {
    return refuse(400, "Transfer-Encoding may only be \"chunked\", once, without Content-Length");
  }
  if (found.hosts > 1 || (found.hosts == 0 && found.version == 11)) {
    return refuse(400, "exactly one Host field is needed");
  }
  if (found.expectations > 1) return refuse(400, "Expect is given twice");
  if (!found.expect.empty() && !equal_ignoring_case(found.expect, "100-continue")) {
    return refuse(417, "Expect may only be \"100-continue\"");
  }
  if (!take_target()) return refuse(400, "the target of the request is not a path");
  request_.method = found.method;
  request_.headers = found.fields;
  request_.id = found.id;
  request_.http_1_0 = found.version == 10;
  if (found.message->is_done()) return Step::kComplete;
  body_input_.assign(input_, head_size_);
  input_.resize(head_size_);
  return Step::kHead;
}

/// Origin form, "*", or the absolute form, whose authority then replaces Host (RFC 9112, 3.2.2).
bool RequestParser::take_target() {
  std::string_view target = found_->target;
  request_.host = found_->host;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.size() <= scheme.size()) continue;
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    request_.host = target.substr(0, target.find_first_of("/?"));
    target.remove_prefix(request_.host.size());
    if (target.empty()) target = "/";
    break;
  }
  if (!target.starts_with('/') && target != "*") return false;
  request_.target = target;
  request_.path = target.substr(0, target.find('?'));
  request_.query = target.substr(std::min(target.size(), request_.path.size() + 1));
  return true;
}

RequestParser::Step RequestParser::parse_body() {
  Message& message = *found_->message;
  while (!message.is_done()) {
    const std::size_t left = body_input_.size() - parsed_;
    if (left < minimum_) break;
    boost::beast::error_code error;
    const std::size_t used =
        message.put(boost::asio::const_buffer(body_input_.data() + parsed_, left), error);
    parsed_ += used;
    minimum_ = 1;
    if (error == http::error::need_more) {
      minimum_ = std::max(left - used + 1, kShortestChunkedRest);
    } else if (error == http::error::body_limit) {
      return refuse(413, "the body of the request is too large");
    } else if (error) {
      return refuse(400, "the chunks of the request's body are malformed");
    }
  }
  if (message.is_done()) {
    request_.body = found_->body;
    return Step::kComplete;
  }
  body_input_.erase(0, parsed_);
  parsed_ = 0;
  if (body_input_.size() >= kBodyBuffer) {
    return refuse(431, "a chunk's extension or the trailer is too large");
  }
  return Step::kNeedMore;
}

void RequestParser::forget() {
  input_.erase(0, head_size_);
  input_.append(body_input_, parsed_);
  if (input_.empty()) empty(input_, kKeptHeader);
  empty(body_input_, 0);
  scanned_ = head_size_ = parsed_ = 0;
  minimum_ = 1;
  skipped_line_ = false;
  found_->clear();
  request_ = {};
}

std::uint64_t RequestParser::announced_body() const {
  return found_->message ? found_->message->content_length().value_or(0) : 0;
}

std::size_t RequestParser::held_body() const {
  return in_body() ? found_->body.size() + body_input_.size() : 0;
}

void RequestParser::drop() {
  forget();
  empty(input_, 0);
  empty(found_->body, 0);
}

bool RequestParser::keep_alive() const {
  return found_->message && found_->message->is_header_done() && found_->message->keep_alive();
}

bool RequestParser::expects_continue() const {
  return !found_->expect.empty() && !request_.http_1_0;
}

RequestParser::Step RequestParser::refuse(int status, std::string_view message,
                                          std::string_view hint) {
  refusal_ = {status, message, hint};
  return Step::kRefused;
}

}  // namespace quarry::http_server
