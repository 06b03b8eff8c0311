#include "cli/progress_board.h"

#include "base/json.h"
#include "base/utf8.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

constexpr std::size_t kBar = 20;
constexpr std::size_t kLongestName = 24;
constexpr std::size_t kShortestMessage = 8;
constexpr std::size_t kNarrow = 60;  // columns; the bar is left out below

std::string padded(std::string text, std::size_t columns) {
  const std::size_t length = utf8_length(text);
  if (length < columns) text.append(columns - length, ' ');
  return text;
}

/// "12 s", "3 min", "2 h"; rounded up.
std::string duration_text(std::uint64_t seconds) {
  constexpr std::uint64_t kMinute = 60;
  constexpr std::uint64_t kHour = 60 * kMinute;
  if (seconds < 2 * kMinute) return std::to_string(seconds) + " s";
  if (seconds < 2 * kHour) return std::to_string((seconds + kMinute - 1) / kMinute) + " min";
  return std::to_string((seconds + kHour - 1) / kHour) + " h";
}

std::string bar(std::uint64_t percent) {
  const std::size_t full = percent * kBar / 100;
  return "[" + std::string(full, '#') + std::string(kBar - full, '.') + "]";
}

}  // namespace

bool ProgressBoard::report(std::string_view json, Clock::Steady now) {
  const auto event = parse_json(json);
  if (!event || !event->is_object()) return false;
  const std::string resource = event->value("resource", "");
  auto row = std::ranges::find(rows_, resource, &Row::resource);
  if (row == rows_.end()) row = rows_.insert(row, Row{.resource = resource, .message = {}});
  last_ = static_cast<std::size_t>(row - rows_.begin());
  std::string message = event->value("message", "");
  const std::uint64_t done_before =
      std::exchange(row->done, event->value("done", std::uint64_t{0}));
  row->total = event->value("total", std::uint64_t{0});
  row->latest = now;
  if (row->message == message && row->done >= done_before) return false;
  const bool changed = row->message != message;
  row->message = std::move(message);
  row->begin = now;
  row->done_at_begin = row->done;
  return changed;
}

/// ", 5210 a second, 12 s left"; empty until a second of the message has passed.
std::string ProgressBoard::pace(const Row& row) {
  const std::chrono::duration<double> time = row.latest - row.begin;
  if (time < std::chrono::seconds(1) || row.done <= row.done_at_begin) return "";
  const double rate = static_cast<double>(row.done - row.done_at_begin) / time.count();
  if (rate < 1) return "";
  std::string text = ", " + std::to_string(static_cast<std::uint64_t>(rate)) + " a second";
  if (row.total <= row.done) return text;
  const double left = std::ceil(static_cast<double>(row.total - row.done) / rate);
  return text + ", " + duration_text(static_cast<std::uint64_t>(left)) + " left";
}

std::string ProgressBoard::last() const {
  return rows_.empty() ? "" : rows_[last_].resource + ": " + rows_[last_].message;
}

std::vector<std::string> ProgressBoard::lines(std::size_t width, std::size_t most) const {
  std::size_t name_width = 0;
  for (const Row& row : rows_) {
    name_width = std::max(name_width, std::min(utf8_length(row.resource), kLongestName));
  }
  std::vector<std::string> out;
  const std::size_t shown = rows_.size() <= most ? rows_.size() : most - 1;
  for (std::size_t i = 0; i < shown; ++i) out.push_back(line(rows_[i], name_width, width));
  if (shown < rows_.size()) {
    out.emplace_back(
        first_characters("and " + std::to_string(rows_.size() - shown) + " more", width));
  }
  return out;
}

std::string ProgressBoard::line(const Row& row, std::size_t name_width, std::size_t width) const {
  std::string text =
      padded(std::string(first_characters(row.resource, name_width)), name_width) + "  ";
  if (row.total > 0) {
    const std::uint64_t percent = std::min(row.done, row.total) * 100 / row.total;
    if (width >= kNarrow) text += bar(percent) + " ";
    const std::string number = std::to_string(percent);
    text += std::string(3 - std::min<std::size_t>(3, number.size()), ' ') + number + " %  ";
  }
  // A long path is cut for what tells how long it takes.
  const std::string tempo = pace(row);
  const std::size_t taken = utf8_length(text) + tempo.size();
  const std::size_t left = width > taken + kShortestMessage ? width - taken : kShortestMessage;
  text += std::string(first_characters(row.message, tempo.empty() ? width : left)) + tempo;
  return std::string(first_characters(text, width));
}

}  // namespace quarry::cli
