#include "protocol.h"

#include <quarry/json.hpp>

#include <algorithm>

namespace transport_lines {
namespace {

namespace json = quarry::json;
using quarry::Failure;

constexpr std::size_t kMostId = 64;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

/// True for one object and nothing behind it. The engine checks the rest of the JSON.
bool is_object(std::string_view text) {
  return text.starts_with('{') && text.ends_with('}') &&
         quarry_json_end(quarry::as_text(text), 0) == text.size();
}

Failure wrong(const std::string& message) {
  return {QUARRY_INVALID_ARGUMENT,
          message,
          R"(send one line such as {"id": 1, "method": "health", "params": {}})",
          {}};
}

/// JSON may have line breaks between its tokens, and nowhere else.
std::string on_one_line(std::string_view json) {
  std::string out(json);
  std::replace(out.begin(), out.end(), '\n', ' ');
  std::replace(out.begin(), out.end(), '\r', ' ');
  return out;
}

}  // namespace

std::optional<std::string> read_id(std::string_view object) {
  if (const auto text = json::string(object, "id")) {
    return text->size() <= kMostId ? std::optional(json::quoted(*text)) : std::nullopt;
  }
  const auto number = json::integer(object, "id");
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

ParsedLine parse_line(std::string_view line) {
  line = trimmed(line);
  Request request;
  if (!is_object(line)) return {request, wrong("the line is no JSON object")};
  const auto id = read_id(line);
  if (!id) return {request, wrong("id is no integer, and no text of at most 64 bytes")};
  request.id = *id;
  request.method = json::string(line, "method").value_or("");
  if (request.method.empty()) return {request, wrong("method is missing")};
  request.params = json::member(line, "params").value_or("{}");
  if (!is_object(request.params)) return {request, wrong("params is no JSON object")};
  return {request, std::nullopt};
}

std::string event_line(const std::string& id, const quarry_event& event) {
  return "{\"id\":" + id + ",\"event\":{\"number\":" + std::to_string(event.number) +
         ",\"type\":" + json::quoted(quarry::as_view(event.type)) +
         ",\"data\":" + on_one_line(quarry::as_view(event.json)) + "}}\n";
}

std::string result_line(const std::string& id, std::string_view json) {
  return "{\"id\":" + id + ",\"result\":" + on_one_line(json) + "}\n";
}

std::string error_line(const std::string& id, const Failure& failure) {
  const std::string details = failure.details.empty() ? "{}" : on_one_line(failure.details);
  return "{\"id\":" + id + ",\"error\":{\"status\":" + std::to_string(failure.status) +
         ",\"message\":" + json::quoted(failure.message) +
         ",\"hint\":" + json::quoted(failure.hint) + ",\"details\":" + details + "}}\n";
}

std::optional<quarry::Outcome<std::string>> LineReader::next() {
  const std::size_t end = bytes_.find('\n', searched_);
  searched_ = end == std::string::npos ? bytes_.size() : 0;
  const bool too_long = std::min(end, bytes_.size()) > kMostLine;
  if (end == std::string::npos && !too_long && !skipping_) return std::nullopt;
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end == std::string::npos ? end : end + 1);
  searched_ = 0;
  const bool skipped = skipping_;
  skipping_ = end == std::string::npos;
  if (skipped) return skipping_ ? std::nullopt : next();
  if (too_long) return wrong("the line has more than " + std::to_string(kMostLine) + " bytes");
  return line;
}

}  // namespace transport_lines
