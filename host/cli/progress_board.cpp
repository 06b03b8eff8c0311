#include "cli/progress_board.h"

#include "base/json.h"
#include "base/utf8.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

constexpr std::size_t kBar = 20;
constexpr std::size_t kLongestName = 24;
constexpr std::size_t kNarrow = 60;  // columns; the bar is left out below

std::string padded(std::string text, std::size_t columns) {
  const std::size_t length = utf8_length(text);
  if (length < columns) text.append(columns - length, ' ');
  return text;
}

std::string bar(std::uint64_t percent) {
  const std::size_t full = percent * kBar / 100;
  return "[" + std::string(full, '#') + std::string(kBar - full, '.') + "]";
}

}  // namespace

bool ProgressBoard::report(std::string_view json) {
  const auto event = parse_json(json);
  if (!event || !event->is_object()) return false;
  const std::string resource = event->value("resource", "");
  auto row = std::ranges::find(rows_, resource, &Row::resource);
  if (row == rows_.end()) row = rows_.insert(row, Row{resource, {}, 0, 0});
  last_ = static_cast<std::size_t>(row - rows_.begin());
  std::string message = event->value("message", "");
  row->done = event->value("done", std::uint64_t{0});
  row->total = event->value("total", std::uint64_t{0});
  if (row->message == message) return false;
  row->message = std::move(message);
  return true;
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
  text += row.message;
  return std::string(first_characters(text, width));
}

}  // namespace quarry::cli
