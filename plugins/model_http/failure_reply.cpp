#include "model_http/failure_reply.h"

#include "model_http/json_text.h"

#include <charconv>
#include <cmath>

namespace quarry::model_http {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBody = std::size_t{64} << 10;
constexpr std::size_t kMostWords = 500;

std::int64_t number(std::string_view text) {
  std::int64_t out = -1;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), out);
  return wrong == std::errc() && end == text.data() + text.size() && out >= 0 ? out : -1;
}

std::int64_t retry_after(const std::vector<HttpHeader>& headers) {
  const std::int64_t exact = number(header(headers, "retry-after-ms"));
  if (exact >= 0) return exact;
  const std::int64_t seconds = number(header(headers, "retry-after"));
  return seconds >= 0 && seconds < 1'000'000 ? seconds * 1000 : -1;
}

/// The beginning of `text`, cut between characters.
std::string beginning(std::string_view text) {
  if (text.size() <= kMostWords) return std::string(text);
  std::size_t end = kMostWords;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

/// The title of a web page, as a server in between answers; empty if there is none.
std::string_view title_of_page(std::string_view body) {
  constexpr std::string_view kTitle = "<title>";
  const std::size_t begin = body.find(kTitle);
  if (begin == body.npos || body[body.find_first_not_of(" \t\r\n\xEF\xBB\xBF")] != '<') return {};
  const std::string_view title = body.substr(begin + kTitle.size());
  return title.substr(0, title.find('<'));
}

/// Useful members beside a message: a code in words, and the error that a router received.
std::string particulars(const Json& error) {
  std::string code(text_member(error, "code"));
  if (number(code) >= 0) code.clear();
  const std::string_view raw = text_member(member(error, "metadata"), "raw");
  return (code.empty() ? "" : " (" + code + ")") + (raw.empty() ? "" : ": " + beginning(raw));
}

}  // namespace

quarry_status status_of(int http_status) {
  switch (http_status) {
    case 401:
      return QUARRY_UNAUTHENTICATED;
    case 403:
      return QUARRY_PERMISSION_DENIED;
    case 404:
      return QUARRY_NOT_FOUND;
    case 402:
    case 429:
      return QUARRY_RESOURCE_EXHAUSTED;
    case 408:
    case 504:
      return QUARRY_DEADLINE_EXCEEDED;
    default:
      return http_status >= 500 ? QUARRY_UNAVAILABLE : QUARRY_INVALID_ARGUMENT;
  }
}

quarry_status status_of(int http_status, const Json& error) {
  for (const Json& detail : member(error, "details")) {
    if (text_member(detail, "reason") == "API_KEY_INVALID") return QUARRY_UNAUTHENTICATED;
  }
  return status_of(http_status);
}

int http_status_in(const Json& error) {
  const std::string_view digits = text_member(error, "code");
  const std::int64_t code = digits.empty() ? count_member(error, "code") : number(digits);
  return code >= 400 && code <= 599 ? static_cast<int>(code) : 0;
}

std::string words_in(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!text.starts_with('{')) return text;
    const auto words = words_in(read_json(text));  // a router passes on what it received
    return words.empty() ? text : words;
  }
  if (value.is_array() && !value.empty()) return words_in(value.front());
  if (!value.is_object()) return {};
  for (const char* name : {"error", "message", "detail", "errors", "msg", "error_msg",
                           "error_message", "errorMessage", "status_msg", "base_resp"}) {
    if (auto words = words_in(member(value, name)); !words.empty()) {
      return words + particulars(value);
    }
  }
  return {};
}

bool is_failure(const Json& error) {
  if (error.is_boolean()) return error.get<bool>();
  if (error.is_string()) return !error.get_ref<const std::string&>().empty();
  return !error.empty() && error != 0;
}

std::string message_in(const Json& error) {
  auto words = words_in(error);
  return words.empty() && is_failure(error) ? beginning(to_text(error)) : words;
}

std::string message_of(std::string_view body) {
  return message_of(body, read_json(body));
}

std::string message_of(std::string_view body, const Json& json) {
  if (json.is_object() || json.is_array()) return message_in(json);
  const auto title = title_of_page(body);
  return beginning(title.empty() ? body : title);
}

std::int64_t retry_delay(const Json& error) {
  for (const Json& detail : member(error, "details")) {
    const std::string_view delay = text_member(detail, "retryDelay");
    double seconds = 0;
    const auto [end, wrong] = std::from_chars(delay.data(), delay.data() + delay.size(), seconds);
    const bool whole =
        wrong == std::errc() && std::string_view(end, delay.data() + delay.size()) == "s";
    if (whole && seconds >= 0 && seconds < 1e6) return std::llround(seconds * 1000);
  }
  return -1;
}

FailureReply::FailureReply(int http_status, const std::vector<HttpHeader>& headers)
    : http_status_(http_status), retry_after_ms_(retry_after(headers)) {}

void FailureReply::add(std::string_view bytes) {
  body_ += bytes.substr(0, kMostBody - body_.size());
}

ReportedFailure FailureReply::failure() const {
  if (http_status_ < 400) {
    return {QUARRY_UNAVAILABLE, "the response is not a stream: " + message_of(body_), http_status_};
  }
  const Json body = read_json(body_);
  const Json& error = member(body.is_array() && !body.empty() ? body.front() : body, "error");
  return {status_of(http_status_, error), message_of(body_, body), http_status_,
          retry_after_ms_ >= 0 ? retry_after_ms_ : retry_delay(error)};
}

void report(const ReportedFailure& failure, Output& output) {
  output.error(failure.status, failure.message, failure.http_status, failure.retry_after_ms);
}

}  // namespace quarry::model_http
