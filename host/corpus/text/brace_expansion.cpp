#include "corpus/text/brace_expansion.h"

#include "corpus/text/character_class.h"

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostTexts = 256;

/// Position of the next character of `text`, from `at`, that is neither escaped nor within a class;
/// npos at the end.
std::size_t next_bare(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == '\\') {
      at += 2;
      continue;
    }
    std::string_view rest = text.substr(at);
    if (text[at] != '[' || !take_character_class(rest)) return at;
    at = text.size() - rest.size();
  }
  return std::string_view::npos;
}

std::size_t find_open_brace(std::string_view text) {
  std::size_t at = next_bare(text, 0);
  while (at != std::string_view::npos && text[at] != '{') at = next_bare(text, at + 1);
  return at;
}

struct BraceGroup {
  std::vector<std::string_view> alternatives;
  std::string_view after;
  bool closed = false;
};

/// Parses the group whose first '{' is at `open`.
BraceGroup parse_group(std::string_view text, std::size_t open) {
  BraceGroup group;
  std::size_t depth = 0;
  std::size_t start = open + 1;
  for (std::size_t at = open; (at = next_bare(text, at)) != std::string_view::npos; ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}') --depth;
    const bool ends = depth == 0;
    if (!ends && (depth != 1 || text[at] != ',')) continue;
    group.alternatives.push_back(text.substr(start, at - start));
    start = at + 1;
    if (!ends) continue;
    group.after = text.substr(start);
    group.closed = true;
    break;
  }
  return group;
}

Status expand(const std::string& text, std::vector<std::string>& out) {
  const std::size_t open = find_open_brace(text);
  if (open == std::string::npos) {
    out.push_back(text);
    if (out.size() <= kMostTexts) return {};
    return Error{Code::kInvalidArgument,
                 "the braces of the pattern expand to more than 256 patterns",
                 "Use * in place of some of them."};
  }
  const BraceGroup group = parse_group(text, open);
  if (!group.closed) {
    return Error{Code::kInvalidArgument, "the pattern has a { without its }",
                 "Write \\{ for a brace that is meant literally."};
  }
  for (const std::string_view alternative : group.alternatives) {
    const Status expanded =
        expand(text.substr(0, open) + std::string(alternative) + std::string(group.after), out);
    if (!expanded) return expanded;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> expand_braces(std::string_view pattern) {
  std::vector<std::string> out;
  if (pattern.size() > 4096) {
    return Error{Code::kInvalidArgument, "the pattern is longer than 4096 bytes"};
  }
  Status expanded = expand(std::string(pattern), out);
  if (!expanded) return std::move(expanded).error();
  return out;
}

}  // namespace quarry::corpus
