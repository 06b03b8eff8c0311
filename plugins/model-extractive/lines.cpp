#include "model-extractive/lines.h"

#include <algorithm>

namespace quarry::extractive {

std::vector<std::string_view> line_views(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\f\v") == std::string_view::npos;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r\f\v");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r\f\v") + 1 - begin);
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

std::string plain_text(const std::vector<NumberedLine>& lines) {
  std::string out;
  for (const NumberedLine& line : lines) {
    const std::string_view text = trimmed(line.text);
    if (!text.empty()) out.append(text) += '\n';
  }
  return out;
}

}  // namespace quarry::extractive
