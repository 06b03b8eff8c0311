#include "corpus/snapshot/git_ignore.h"

#include "base/printable.h"
#include "base/text.h"

#include <ranges>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostShownPattern = 80;  // code points

/// Removes trailing spaces, except one after a backslash.
std::string_view trim_spaces(std::string_view line) {
  std::size_t keep = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) {
      keep = ++at + 1;
    } else if (line[at] != ' ') {
      keep = at + 1;
    }
  }
  return line.substr(0, keep);
}

std::size_t depth_of(std::string_view directory) {
  return directory.empty() ? 0 : split(directory, '/').size();
}

std::string origin_of(std::string_view pattern, std::string_view file, std::size_t line) {
  return '"' + printable_exact(pattern, kMostShownPattern) + "\" in " + printable_exact(file) +
         ':' + std::to_string(line);
}

}  // namespace

GitIgnore GitIgnore::parse(std::string_view text, std::string_view file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  GitIgnore ignore;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    ignore.add(trim_spaces(line), file, ++number);
  }
  return ignore;
}

void GitIgnore::add(std::string_view line, std::string_view file, std::size_t number) {
  if (line.empty() || line.starts_with('#')) return;
  const std::string_view written = line;
  const bool negated = line.starts_with('!');
  if (negated) line.remove_prefix(1);
  const bool directories_only = line.ends_with('/');
  if (directories_only) line.remove_suffix(1);
  auto glob = Glob::compile(line, Glob::Dialect::kGit);
  if (!glob) return;
  rules_.push_back({std::move(*glob), directories_only, negated, origin_of(written, file, number)});
}

const IgnoreRule* GitIgnore::match(std::span<const std::string_view> names,
                                   bool is_directory) const {
  for (const IgnoreRule& rule : std::views::reverse(rules_)) {
    if (rule.directories_only && !is_directory) continue;
    if (rule.glob.matches(names)) return &rule;
  }
  return nullptr;
}

IgnoreScope::IgnoreScope(std::string_view directory, GitIgnore patterns,
                         std::shared_ptr<const IgnoreScope> above)
    : root_(above ? above->root_ : std::string()),
      depth_(depth_of(root_) + depth_of(directory)),
      patterns_(std::move(patterns)),
      above_(std::move(above)) {}

std::shared_ptr<const IgnoreScope> IgnoreScope::enter(std::string root,
                                                      std::shared_ptr<const IgnoreScope> above) {
  const auto scope = std::make_shared<IgnoreScope>(root, GitIgnore(), std::move(above));
  scope->root_ = std::move(root);
  return scope;
}

const IgnoreRule* IgnoreScope::match(std::string_view path, bool is_directory) const {
  auto names = split(path, '/');
  if (!root_.empty()) {
    const auto root = split(root_, '/');
    names.insert(names.begin(), root.begin(), root.end());
  }
  for (const IgnoreScope* scope = this; scope != nullptr; scope = scope->above_.get()) {
    const auto below = std::span(names).subspan(scope->depth_);
    if (const IgnoreRule* rule = scope->patterns_.match(below, is_directory)) return rule;
  }
  return nullptr;
}

const IgnoreRule* IgnoreScopes::ignoring(std::string_view path, bool is_directory) const {
  const IgnoreRule* rule = own ? own->match(path, is_directory) : nullptr;
  if (rule == nullptr && repository) rule = repository->match(path, is_directory);
  return rule != nullptr && !rule->negated ? rule : nullptr;
}

}  // namespace quarry::corpus
