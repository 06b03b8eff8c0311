#include "model_http/framing.h"

#include <algorithm>

namespace quarry::model_http {
namespace {

constexpr std::size_t kLargestEvent = std::size_t{16} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::size_t end_of_line(std::string_view bytes) {
  const std::size_t line_feed = bytes.find('\n');
  return std::min(line_feed, bytes.substr(0, line_feed).find('\r'));
}

}  // namespace

bool LineReader::feed(std::string_view bytes, const Take& take) {
  if (skip_line_feed_ && !bytes.empty()) {
    if (bytes.front() == '\n') bytes.remove_prefix(1);
    skip_line_feed_ = false;
  }
  while (true) {
    const std::size_t end = end_of_line(bytes);
    if (pending_.size() + std::min(end, bytes.size()) > longest_) return false;
    if (end == std::string_view::npos) break;
    const std::string_view line = bytes.substr(0, end);
    if (pending_.empty()) {
      take(line);
    } else {
      pending_ += line;
      take(pending_);
      pending_.clear();
    }
    const bool carriage_return = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (!carriage_return) continue;
    skip_line_feed_ = bytes.empty();
    if (!bytes.empty() && bytes.front() == '\n') bytes.remove_prefix(1);
  }
  pending_ += bytes;
  return true;
}

bool EventReader::feed(std::string_view bytes, const Take& take) {
  const bool fits = lines_.feed(bytes, [&](std::string_view line) { take_line(line, take); });
  return fits && data_.size() <= kLargestEvent;
}

void EventReader::finish(const Take& take) {
  if (!lines_.rest().empty()) take_line(std::string(lines_.rest()), take);
  dispatch(take);
}

void EventReader::take_line(std::string_view line, const Take& take) {
  if (first_line_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  first_line_ = false;
  if (line.empty()) return dispatch(take);
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    name_ = value;
  } else if (field == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
}

void EventReader::dispatch(const Take& take) {
  if (has_data_) take(name_, data_);
  name_.clear();
  data_.clear();
  has_data_ = false;
}

}  // namespace quarry::model_http
