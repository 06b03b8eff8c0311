#include "cli/event_stream.h"

namespace quarry::cli {

void EventStream::feed(std::string_view bytes) {
  for (const char c : bytes) {
    const bool second_half = after_return_ && c == '\n';
    after_return_ = c == '\r';
    if (second_half) continue;
    if (c == '\n' || c == '\r') {
      take_line(line_);
      line_.clear();
    } else {
      line_ += c;
    }
  }
}

void EventStream::take_line(std::string_view line) {
  if (line.empty()) {
    if (has_data_) on_event_(type_, data_);
    type_.clear();
    data_.clear();
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value =
      colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") type_ = value;
  if (field != "data") return;
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
}

}  // namespace quarry::cli
