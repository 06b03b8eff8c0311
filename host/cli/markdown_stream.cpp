#include "cli/markdown_stream.h"

#include <algorithm>

namespace quarry::cli {
namespace {

/// The fence that a line opens or, with the same character and length at least, closes.
std::string fence_of(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent == line.npos || indent > 3) return {};
  const char mark = line[indent];
  if (mark != '`' && mark != '~') return {};
  const std::size_t end = std::min(line.find_first_not_of(mark, indent), line.size());
  if (end - indent < 3) return {};
  const bool is_inline = mark == '`' && line.find('`', end) != line.npos;
  return is_inline ? std::string() : std::string(end - indent, mark);
}

bool closes(std::string_view line, const std::string& fence) {
  const std::string own = fence_of(line);
  return own.starts_with(fence) &&
         line.find_first_not_of(" \t\r" + fence.substr(0, 1)) == line.npos;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

}  // namespace

std::string MarkdownStream::end_block() {
  const std::string_view prose = std::string_view(pending_).substr(0, lines_);
  std::string out = markdown_text(rewrite_ ? rewrite_(prose) : std::string(prose), style_);
  pending_.erase(0, lines_);
  lines_ = 0;
  return out;
}

/// Takes a whole line, the next in `pending_`.
std::string MarkdownStream::take_line(std::string_view line) {
  const std::size_t bytes = line.size() + 1;
  if (!fence_.empty()) {
    std::string out;
    if (closes(line, fence_)) {
      fence_.clear();
    } else {
      out = code_.line(line) + '\n';
    }
    pending_.erase(0, bytes);
    return out;
  }
  const std::string fence = fence_of(line);
  if (fence.empty() && !is_blank(line)) {
    lines_ += bytes;
    return {};
  }
  std::string out = end_block();
  pending_.erase(0, bytes);
  fence_ = fence;
  if (!fence.empty()) {
    code_ = CodeText(line.substr(line.find(fence) + fence.size()), style_.colour);
  }
  if (fence.empty() && !out.empty()) out += '\n';
  return out;
}

std::string MarkdownStream::add(std::string_view text) {
  pending_ += text;
  std::string out;
  for (;;) {
    const std::size_t end = pending_.find('\n', lines_);
    if (end == pending_.npos) return out;
    out += take_line(pending_.substr(lines_, end - lines_));
  }
}

std::string MarkdownStream::finish() {
  std::string out;
  if (!pending_.empty() && pending_.back() != '\n') out = add("\n");
  return out + end_block();
}

}  // namespace quarry::cli
