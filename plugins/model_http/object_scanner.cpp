#include "model_http/object_scanner.h"

namespace quarry::model_http {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

void ObjectScanner::add(std::string_view bytes) {
  size_ += bytes.size();
  for (const char c : bytes) state_ = after(c);
}

ObjectScanner::State ObjectScanner::after(char c) {
  switch (state_) {
    case State::kBefore:
      if (c == '{') return after_in_object(c);
      return kBlanks.contains(c) ? State::kBefore : State::kOther;
    case State::kObject:
      return after_in_object(c);
    case State::kString:
      return c == '\\' ? State::kEscape : c == '"' ? State::kObject : State::kString;
    case State::kEscape:
      return State::kString;
    case State::kAfter:
      return kBlanks.contains(c) ? State::kAfter : State::kOther;
    case State::kOther:
      break;
  }
  return State::kOther;
}

ObjectScanner::State ObjectScanner::after_in_object(char c) {
  if (c == '"') return State::kString;
  if (c == '{' || c == '[') ++depth_;
  if (c == '}' || c == ']') --depth_;
  return depth_ == 0 ? State::kAfter : State::kObject;
}

}  // namespace quarry::model_http
