#include "model-extractive/quotation.h"

#include <algorithm>
#include <string_view>

namespace quarry::extractive {
namespace {

/// `path` without brackets, which a citation must not contain.
std::string without_brackets(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '[') {
      out += "%5B";
    } else if (c == ']') {
      out += "%5D";
    } else {
      out += c;
    }
  }
  return out;
}

/// A fence longer than any run of backticks in the lines.
std::string fence_for(const std::vector<NumberedLine>& lines) {
  std::size_t longest = 2;
  for (const NumberedLine& line : lines) {
    std::size_t run = 0;
    for (const char c : line.text) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  return std::string(longest + 1, '`');
}

}  // namespace

std::optional<std::string> citation(const std::string& path, const std::vector<std::string>& names,
                                    std::uint32_t first, std::uint32_t last) {
  const std::string* best = nullptr;
  for (const std::string& name : names) {
    const bool fits =
        path.size() > name.size() && path.starts_with(name) && path[name.size()] == '/';
    if (fits && (best == nullptr || name.size() > best->size())) best = &name;
  }
  if (best == nullptr) return std::nullopt;
  std::string out = "[" + *best + ":" + without_brackets(path.substr(best->size() + 1)) + "#L" +
                    std::to_string(first);
  if (last != first) out += "-L" + std::to_string(last);
  return out + "]";
}

std::string fenced(const std::vector<NumberedLine>& lines) {
  const std::string fence = fence_for(lines);
  std::string out = fence + "\n";
  for (const NumberedLine& line : lines) out += line.text + "\n";
  return out + fence + "\n";
}

}  // namespace quarry::extractive
