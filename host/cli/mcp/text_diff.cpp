#include "cli/mcp/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace quarry::cli {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMostCells = 4'000'000;  // beyond, the differing part counts as entirely new

using Lines = std::vector<std::string_view>;

/// Lines with their line ends, so that a missing final one is a difference.
Lines lines_of(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

struct Step {
  char mark;  ///< ' ', '-' or '+'
  std::string_view line;
};

void add(std::vector<Step>& steps, char mark, const Lines& lines, std::size_t from,
         std::size_t to) {
  for (std::size_t i = from; i < to; ++i) steps.push_back({mark, lines[i]});
}

/// Adds the changes of lines [first, a_end) and [first, b_end), by the longest common subsequence.
void add_changes(std::vector<Step>& steps, const Lines& a, const Lines& b, std::size_t first,
                 std::size_t a_end, std::size_t b_end) {
  const std::size_t rows = a_end - first;
  const std::size_t columns = b_end - first;
  if (rows * columns > kMostCells) {
    add(steps, '-', a, first, a_end);
    add(steps, '+', b, first, b_end);
    return;
  }
  // common[i][j]: number of common lines of a from i and b from j.
  std::vector<std::vector<std::uint32_t>> common(rows + 1, std::vector<std::uint32_t>(columns + 1));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      common[i][j] = a[first + i] == b[first + j] ? common[i + 1][j + 1] + 1
                                                  : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a[first + i] == b[first + j]) {
      steps.push_back({' ', a[first + i++]});
      ++j;
    } else if (j == columns || (i < rows && common[i + 1][j] >= common[i][j + 1])) {
      steps.push_back({'-', a[first + i++]});
    } else {
      steps.push_back({'+', b[first + j++]});
    }
  }
}

std::vector<Step> steps_of(const Lines& a, const Lines& b) {
  std::size_t first = 0;
  while (first < a.size() && first < b.size() && a[first] == b[first]) ++first;
  std::size_t a_end = a.size();
  std::size_t b_end = b.size();
  for (; a_end > first && b_end > first && a[a_end - 1] == b[b_end - 1]; --a_end) --b_end;
  std::vector<Step> steps;
  add(steps, ' ', a, 0, first);
  add_changes(steps, a, b, first, a_end, b_end);
  add(steps, ' ', a, a_end, a.size());
  return steps;
}

/// "12,3": first line of a part, from 1, and its number of lines. An empty part names the line
/// before it.
std::string range(std::size_t before, std::size_t count) {
  return std::to_string(count == 0 ? before : before + 1) + ',' + std::to_string(count);
}

/// Steps [begin, end) as a hunk, with line numbers of the old and the new text.
std::string hunk(const std::vector<Step>& steps, std::size_t begin, std::size_t end) {
  std::size_t before[2] = {0, 0};
  std::size_t count[2] = {0, 0};
  std::string body;
  for (std::size_t i = 0; i < end; ++i) {
    std::size_t* const counted = i < begin ? before : count;
    if (steps[i].mark != '+') ++counted[0];
    if (steps[i].mark != '-') ++counted[1];
    if (i < begin) continue;
    body += steps[i].mark;
    body += steps[i].line;
    if (!steps[i].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return "@@ -" + range(before[0], count[0]) + " +" + range(before[1], count[1]) + " @@\n" + body;
}

}  // namespace

std::string text_diff(std::string_view before, std::string_view after, std::string_view name) {
  if (before == after) return {};
  const Lines a = lines_of(before);
  const Lines b = lines_of(after);
  const std::vector<Step> steps = steps_of(a, b);
  const std::string file(name);
  std::string out =
      "--- " + (before.empty() ? std::string("/dev/null") : file) + "\n+++ " + file + "\n";
  for (std::size_t at = 0; at < steps.size();) {
    if (steps[at].mark == ' ') {
      ++at;
      continue;
    }
    const std::size_t begin = at - std::min(at, kContext);
    std::size_t same = 0;  // unchanged steps after `at`
    while (at < steps.size() && same <= 2 * kContext) same = steps[at++].mark == ' ' ? same + 1 : 0;
    const std::size_t end = at - (same > kContext ? same - kContext : 0);
    out += hunk(steps, begin, end);
  }
  return out;
}

}  // namespace quarry::cli
