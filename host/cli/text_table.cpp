#include "cli/text_table.h"

#include "base/printable.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace quarry::cli {
namespace {

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], utf8_length(row[i]));
    }
  }
  return widths;
}

}  // namespace

std::string text_table(std::vector<std::vector<std::string>> rows, const std::vector<bool>& right) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable_line(cell);
  }
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - utf8_length(row[i]), ' ');
      if (i > 0) line += "  ";
      line += right[i] ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string fixed(double value, int decimals) {
  std::array<char, 400> text{};  // enough for every double
  char* const begin = text.data();
  const auto written =
      std::to_chars(begin, begin + text.size(), value, std::chars_format::fixed, decimals);
  return {begin, written.ptr};
}

std::string grouped(std::int64_t count) {
  std::string out = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3) {
    out.insert(static_cast<std::size_t>(at), ",");
  }
  return out;
}

}  // namespace quarry::cli
