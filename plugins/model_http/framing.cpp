#include "model_http/framing.h"

#include "model_http/json_text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace quarry::model_http {
namespace {

constexpr std::size_t kLargestEvent = std::size_t{16} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kData = "data:";
constexpr std::string_view kFirstOfFields = ":deir";  // comment, data, event, id, retry
constexpr std::string_view kDone = "[DONE]";
constexpr std::size_t kMostOfDone = 64;  // bytes, with quotation marks and the blanks around it

std::size_t end_of_line(std::string_view bytes) {
  const std::size_t line_feed = bytes.find('\n');
  return std::min(line_feed, bytes.substr(0, line_feed).find('\r'));
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_object(std::string_view text) {
  return read_json(text).is_object();
}

/// True for the mark of the end, which some servers quote or write in lower case.
bool is_done(std::string_view text) {
  if (text.size() > kDone.size() + 2) return false;
  if (text.size() == kDone.size() + 2 && text.front() == '"') text = text.substr(1, kDone.size());
  return text == kDone || text == "[done]";
}

void give(std::string_view name, std::string_view data, const EventReader::Take& take) {
  const std::string_view text = without_blanks(data);
  if (!text.empty()) take(name, is_done(text) ? kDone : data);
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
  const bool fits = lines_.feed(bytes, [&](std::string_view line) {
    take_line(line, take);
    if (!lines_.rest().empty()) keep_data();  // the line began in an earlier feed
  });
  keep_data();
  return fits && data_.size() <= kLargestEvent;
}

void EventReader::finish(const Take& take) {
  const std::string last(lines_.rest());
  if (!last.empty()) take_line(last, take);
  dispatch(take);
}

void EventReader::clear() {
  lines_.clear();
  name_.clear();
  data_ = {};
  object_ = {};
  has_data_ = false;
}

/// Copies data that must outlive the bytes it arrived in.
void EventReader::keep_data() {
  if (!has_data_) return;
  if (data_.data() != kept_.data()) kept_ = data_;
  data_ = kept_;
}

void EventReader::take_line(std::string_view line, const Take& take) {
  if (first_line_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  first_line_ = false;
  if (line.empty()) return dispatch(take);
  constexpr std::array<std::string_view, 5> kFields = {"", "data", "event", "id", "retry"};
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  has_fields_ = has_fields_ || std::ranges::find(kFields, field) != kFields.end();
  if (field == "event") {
    // The name of the next event, without a blank line before it; a name may follow its data.
    if (has_data_ && !name_.empty() && has_object()) dispatch(take);
    name_ = value;
  } else if (field == "data") {
    take_data(value, take);
  }
}

void EventReader::take_data(std::string_view value, const Take& take) {
  if (value.starts_with(kData)) value = without_blanks(value.substr(kData.size()));  // named twice
  if (has_data_ && has_object()) dispatch(take);
  if (has_data_) {
    keep_data();
    data_ = kept_.append(1, '\n').append(value);
  } else {
    data_ = value;
  }
  has_data_ = true;
  if (data_.size() <= kMostOfDone && is_done(without_blanks(data_))) dispatch(take);
}

bool EventReader::has_object() {
  object_.add(data_.substr(object_.size()));
  return object_.is_whole();
}

void EventReader::dispatch(const Take& take) {
  if (has_data_) give(name_, data_, take);
  name_.clear();
  data_ = {};
  object_ = {};
  has_data_ = false;
}

bool ObjectReader::feed(std::string_view bytes, const Take& take) {
  const bool fits = lines_.feed(bytes, [&](std::string_view line) { take_line(line, take); });
  return fits && value_.size() <= kLargestEvent;
}

void ObjectReader::finish(const Take& take) {
  if (!lines_.rest().empty()) take_line(std::string(lines_.rest()), take);
  end_value(take);
}

void ObjectReader::clear() {
  lines_.clear();
  value_.clear();
}

void ObjectReader::take_line(std::string_view line, const Take& take) {
  line = without_blanks(line);
  if (line.starts_with(kData)) {
    end_value(take);
    by_lines_ = true;
    line = without_blanks(line.substr(kData.size()));
  }
  if (line.empty()) return;
  by_lines_ = by_lines_ || (value_.empty() && line.front() != '{' && line.front() != '[');
  if (by_lines_) return give({}, line, take);
  if (!value_.empty()) value_ += '\n';
  value_ += line;
  // Only the first line is read twice.
  if (value_.size() == line.size() && is_object(line)) {
    by_lines_ = true;
    end_value(take);
  }
}

void ObjectReader::end_value(const Take& take) {
  const std::string text = std::exchange(value_, {});
  if (text.empty()) return;
  const nlohmann::json value = text.front() == '[' ? read_json(text) : nlohmann::json();
  if (!value.is_array() || value.empty()) return take({}, text);
  for (const nlohmann::json& item : value) take({}, to_text(item));
}

bool MessageReader::feed(std::string_view bytes, const Take& take) {
  std::string begin;
  if (std::holds_alternative<Unknown>(reader_)) {
    begin_ += bytes;
    drop_beginning();
    if (!is_after_mark_ || begin_.empty()) return true;
    choose(begin_.front());
    begin = std::exchange(begin_, {});
    bytes = begin;
  }
  if (auto* const events = std::get_if<EventReader>(&reader_)) return events->feed(bytes, take);
  if (auto* const objects = std::get_if<ObjectReader>(&reader_)) return objects->feed(bytes, take);
  return true;
}

void MessageReader::drop_beginning() {
  if (!is_after_mark_) {
    if (begin_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(begin_)) return;
    if (begin_.starts_with(kByteOrderMark)) begin_.erase(0, kByteOrderMark.size());
    is_after_mark_ = true;
  }
  begin_.erase(begin_.begin(), std::ranges::find_if_not(begin_, is_blank));
}

void MessageReader::choose(char first) {
  if (first == '{' || first == '[' || (lines_ && first != '<' && !kFirstOfFields.contains(first))) {
    reader_.emplace<ObjectReader>();
  } else if (first == '<') {
    reader_.emplace<Page>();
  } else {
    reader_.emplace<EventReader>();
  }
}

void MessageReader::finish(const Take& take) {
  if (auto* const events = std::get_if<EventReader>(&reader_)) return events->finish(take);
  if (auto* const objects = std::get_if<ObjectReader>(&reader_)) return objects->finish(take);
}

void MessageReader::pause(const Take& take) {
  std::vector<std::pair<std::string, std::string>> messages;
  bool whole = true;
  MessageReader(*this).finish([&](std::string_view name, std::string_view data) {
    whole = whole && (is_object(data) || data == kDone);
    messages.emplace_back(name, data);
  });
  if (messages.empty() || !whole) return;
  if (auto* const events = std::get_if<EventReader>(&reader_)) events->clear();
  if (auto* const objects = std::get_if<ObjectReader>(&reader_)) objects->clear();
  for (const auto& [name, data] : messages) take(name, data);
}

}  // namespace quarry::model_http
