#include "resource-npm/json_stream.h"

#include <quarry/json.hpp>

#include <algorithm>

namespace quarry::resource_npm {
namespace {

constexpr std::size_t kMostScalar = 64;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_of_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' ||
         c == 'E';
}

bool is_scalar(std::string_view text) {
  if (text == "true" || text == "false" || text == "null") return true;
  const bool begins = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
  return begins && text.find_first_not_of("0123456789+-.eE") == text.npos;
}

}  // namespace

bool JsonStream::feed(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    if (within_ == Within::kKey || within_ == Within::kString) {
      at += take_string(bytes.substr(at));
    } else if (within_ == Within::kScalar && is_of_scalar(bytes[at])) {
      if (token_.size() == kMostScalar) return false;
      token_ += bytes[at++];
    } else {
      if (within_ == Within::kScalar && !end_scalar()) return false;
      const char c = bytes[at++];
      if (!is_space(c) && !take(c)) return false;
    }
  }
  return true;
}

/// Returns the number of the string's bytes in `bytes`, its closing quote included.
std::size_t JsonStream::take_string(std::string_view bytes) {
  std::size_t size = 0;
  bool over = false;
  while (size < bytes.size() && !over) {
    const char c = bytes[size++];
    over = c == '"' && !escaped_;
    escaped_ = c == '\\' && !escaped_;
  }
  const std::string_view text = bytes.substr(0, over ? size - 1 : size);
  too_long_ = too_long_ || text.size() > capacity_ - token_.size();
  if (!too_long_) token_ += text;
  if (over) end_string();
  return size;
}

void JsonStream::begin_string(Within what, std::size_t capacity) {
  within_ = what;
  token_.clear();
  capacity_ = capacity;
  too_long_ = escaped_ = false;
}

void JsonStream::end_string() {
  const bool is_key = within_ == Within::kKey;
  within_ = Within::kNothing;
  const auto value =
      too_long_ ? std::string() : json::as_string('"' + token_ + '"').value_or(std::string());
  if (is_key) {
    handler_.key(value);
    want_ = Want::kColon;
    return;
  }
  if (capacity_ > 0 && !too_long_) handler_.string(value);
  after_value();
}

bool JsonStream::end_scalar() {
  within_ = Within::kNothing;
  if (!is_scalar(token_)) return false;
  handler_.scalar(token_);
  after_value();
  return true;
}

bool JsonStream::open(char bracket) {
  if (nesting_.size() == kMostNesting) return false;
  nesting_ += bracket;
  handler_.begin(bracket);
  want_ = bracket == '{' ? Want::kKeyOrEnd : Want::kValueOrEnd;
  return true;
}

bool JsonStream::close(char bracket) {
  if (nesting_.empty() || nesting_.back() != bracket) return false;
  nesting_.pop_back();
  handler_.end(bracket);
  after_value();
  return true;
}

/// Takes a character outside of strings and scalars.
bool JsonStream::take(char c) {
  switch (want_) {
    case Want::kNothing:
      return false;
    case Want::kColon:
      want_ = Want::kValue;
      return c == ':';
    case Want::kCommaOrEnd:
      if (c == '}' || c == ']') return close(c == '}' ? '{' : '[');
      want_ = nesting_.back() == '{' ? Want::kKey : Want::kValue;
      return c == ',';
    case Want::kKey:
    case Want::kKeyOrEnd:
      if (c == '}' && want_ == Want::kKeyOrEnd) return close('{');
      begin_string(Within::kKey, kMostKey);
      return c == '"';
    case Want::kValue:
    case Want::kValueOrEnd:
      break;
  }
  if (c == ']' && want_ == Want::kValueOrEnd) return close('[');
  if (c == '{' || c == '[') return open(c);
  if (c == '"') {
    begin_string(Within::kString, handler_.capacity());
    return true;
  }
  within_ = Within::kScalar;
  token_ = c;
  return is_of_scalar(c);
}

}  // namespace quarry::resource_npm
