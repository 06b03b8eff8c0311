#include "corpus/snapshot/tree_state.h"

#include "base/hash.h"
#include "corpus/scip/scip_index.h"
#include "corpus/snapshot/pack_limits.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace quarry::corpus {
namespace {

void append_signature(const Signature& signature, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&signature), sizeof signature);
}

/// The id includes `left_out`, `secrets` and `ignored`, because notes about the tree report them.
std::string id_of(const std::vector<TreeEntry>& entries, const PackRules& rules,
                  const TreeState::Entries& facts) {
  std::string bytes;
  bytes.reserve(entries.size() * (64 + sizeof(Signature)));
  for (const bool rule : {rules.honour_ignore_files, rules.skip_dependencies, rules.skip_secrets}) {
    bytes += rule ? '1' : '0';
  }
  bytes += std::to_string(facts.left_out) + ' ' + std::to_string(facts.secrets) + '\n';
  if (facts.scip != Signature()) append_signature(facts.scip, bytes);
  for (const IgnoredBy& by : facts.ignored)
    bytes += by.rule + ' ' + std::to_string(by.entries) + '\n';
  for (const TreeEntry& entry : entries) {
    bytes.append(entry.path.c_str(), entry.path.size() + 1);
    bytes += static_cast<char>(entry.type);
    append_signature(entry.signature, bytes);
  }
  return sha256_hex(bytes);
}

/// Walks a folder, one level of directories after the other.
class Scan {
 public:
  Scan(const Beneath& root, const PackLimits& limits, const PackRules& rules, Executor& executor,
       const std::stop_token& stop)
      : root_(root), limits_(limits), rules_(rules), executor_(executor), stop_(stop) {}

  /// Adds `level` and everything beneath it.
  Status run(std::vector<OpenDirectory> level, TreeState::Entries& found) {
    while (!level.empty()) {
      std::vector<WalkedDirectory> walked = walk(level);
      if (stop_.stop_requested()) return cancelled();
      std::vector<OpenDirectory> next;
      for (std::size_t i = 0; i < level.size(); ++i) {
        auto below = take(level[i].path, std::move(walked[i]), found);
        if (!below) return std::move(below).error();
        std::ranges::move(*below, std::back_inserter(next));
        found.directories.push_back(std::move(level[i]));
      }
      level = std::move(next);
    }
    return {};
  }

  /// Adds the files of each directory; false if what lies beneath one is not what `known` has.
  Result<bool> list(const std::vector<OpenDirectory>& directories, const TreeState::Entries& known,
                    TreeState::Entries& found) {
    std::vector<WalkedDirectory> walked = walk(directories);
    if (stop_.stop_requested()) return cancelled();
    for (std::size_t i = 0; i < directories.size(); ++i) {
      const std::string& path = directories[i].path;
      const auto& entries = walked[i].entries;
      if (!entries.empty() && entries.front().path == path) return false;  // it cannot be read
      auto below = take(path, std::move(walked[i]), found);
      if (!below) return std::move(below).error();
      if (!has_directories(known, path, std::move(*below))) return false;
    }
    return true;
  }

 private:
  static Error cancelled() { return {Code::kCancelled, "the scan was cancelled"}; }

  std::vector<WalkedDirectory> walk(const std::vector<OpenDirectory>& level) {
    std::vector<WalkedDirectory> walked(level.size());
    parallel_for(executor_, level.size(), [&](std::size_t i) {
      if (stop_.stop_requested()) return;
      walked[i] = walk_directory(root_, level[i], rules_, WalkDetail::kSignatures);
    });
    return walked;
  }

  /// Adds what was found in a directory; returns the directories in it.
  Result<std::vector<OpenDirectory>> take(const std::string& path, WalkedDirectory directory,
                                          TreeState::Entries& found) {
    LeftOutHere here{leave_out(directory.entries) + leave_out(directory.directories),
                     directory.secrets, std::move(directory.ignored)};
    for (std::size_t i = 0; i < directory.entries.size(); ++i) {
      if (Status allowed = limits_.add_file(); !allowed) return std::move(allowed).error();
    }
    if (here.any()) found.left_out_in.insert_or_assign(path, std::move(here));
    std::ranges::move(directory.entries, std::back_inserter(found.list));
    return std::move(directory.directories);
  }

  template <class Found>
  std::uint64_t leave_out(std::vector<Found>& found) {
    return std::erase_if(found, [&](const Found& one) { return !limits_.fits(one.path); });
  }

  /// True if the directories directly beneath `path` in `known` are `below`.
  static bool has_directories(const TreeState::Entries& known, const std::string& path,
                              std::vector<OpenDirectory> below) {
    std::ranges::sort(below, {}, &OpenDirectory::path);
    const std::string prefix = path.empty() ? "" : path + '/';
    auto at = std::ranges::upper_bound(known.directories, prefix, {}, &OpenDirectory::path);
    auto wanted = below.begin();
    for (; at != known.directories.end() && at->path.starts_with(prefix); ++at) {
      if (at->path.find('/', prefix.size()) != std::string::npos) continue;
      if (wanted == below.end() || wanted->path != at->path) return false;
      ++wanted;
    }
    return wanted == below.end();
  }

  const Beneath& root_;
  LimitCheck limits_;
  const PackRules& rules_;
  Executor& executor_;
  const std::stop_token& stop_;
};

/// The rules of `all` that excluded most first; none unless they left nothing or little of the
/// files, see TreeState::ignored().
std::vector<IgnoredBy> ignored_rules(const std::map<std::string, LeftOutHere>& all,
                                     std::size_t files) {
  std::map<std::string, IgnoredBy> sums;
  std::uint64_t directories = 0;
  for (const auto& [path, here] : all) {
    for (const IgnoredBy& by : here.ignored) {
      IgnoredBy& sum = sums.try_emplace(by.rule, IgnoredBy{.rule = by.rule}).first->second;
      sum.entries += by.entries;
      sum.directories += by.directories;
      directories += by.directories;
    }
  }
  if (files > 0 && directories <= files) return {};
  std::vector<IgnoredBy> sorted;
  for (const auto& [rule, by] : sums) sorted.push_back(by);
  std::ranges::stable_sort(sorted, std::greater(), &IgnoredBy::entries);
  return sorted;
}

/// Completes a state of which the lists are known.
Result<TreeState> finish(std::unique_ptr<TreeState::Entries> entries, const Beneath& root,
                         const PackLimits& limits, const PackRules& rules) {
  LimitCheck check(limits);
  for (std::size_t i = 0; i < entries->list.size(); ++i) {
    if (Status allowed = check.add_file(); !allowed) return std::move(allowed).error();
  }
  entries->left_out = 0;
  entries->secrets = 0;
  for (const auto& [path, here] : entries->left_out_in) {
    entries->left_out += here.paths;
    entries->secrets += here.secrets;
  }
  entries->skip_secrets = rules.skip_secrets;
  entries->ignored = ignored_rules(entries->left_out_in, entries->list.size());
  entries->scip = signature_in(root, kScipSource);
  entries->id = id_of(entries->list, rules, *entries);
  return TreeState(std::move(entries));
}

/// The directories of `known` in which files changed; nullopt if one is not known.
std::optional<std::vector<OpenDirectory>> known_directories(const TreeState::Entries& known,
                                                            const TreeChanges& changes) {
  std::vector<OpenDirectory> out;
  for (const std::string& path : changes.directories) {
    const auto at = std::ranges::lower_bound(known.directories, path, {}, &OpenDirectory::path);
    if (at == known.directories.end() || at->path != path) return std::nullopt;
    out.push_back(*at);
  }
  return out;
}

std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

/// Replaces the files of `listed` in `entries` by those of `found`. A directory that cannot be read
/// is an entry, too, and stays.
void replace_files(TreeState::Entries& entries, const std::set<std::string, std::less<>>& listed,
                   TreeState::Entries found) {
  std::erase_if(entries.list, [&](const TreeEntry& entry) {
    return listed.contains(directory_of(entry.path)) &&
           !std::ranges::binary_search(entries.directories, entry.path, {}, &OpenDirectory::path);
  });
  std::ranges::sort(found.list, {}, &TreeEntry::path);
  std::vector<TreeEntry> merged;
  merged.reserve(entries.list.size() + found.list.size());
  std::ranges::merge(
      std::make_move_iterator(entries.list.begin()), std::make_move_iterator(entries.list.end()),
      std::make_move_iterator(found.list.begin()), std::make_move_iterator(found.list.end()),
      std::back_inserter(merged), {}, &TreeEntry::path, &TreeEntry::path);
  entries.list = std::move(merged);
  for (const std::string& path : listed) entries.left_out_in.erase(path);
  entries.left_out_in.merge(found.left_out_in);
}

}  // namespace

Result<TreeState> TreeState::scan(const std::filesystem::path& root, const PackLimits& limits,
                                  const PackRules& rules, Executor& executor,
                                  std::stop_token stop) {
  const auto beneath = Beneath::open(root);
  if (!beneath) return beneath.error();
  auto entries = std::make_unique<Entries>();
  Status walked =
      Scan(*beneath, limits, rules, executor, stop).run({walk_root(*beneath, rules)}, *entries);
  if (!walked) return std::move(walked).error();
  std::ranges::sort(entries->list, {}, &TreeEntry::path);
  std::ranges::sort(entries->directories, {}, &OpenDirectory::path);
  return finish(std::move(entries), *beneath, limits, rules);
}

Result<TreeState> TreeState::rescan(TreeState before, const TreeChanges& changes,
                                    const std::filesystem::path& root, const PackLimits& limits,
                                    const PackRules& rules, Executor& executor,
                                    std::stop_token stop) {
  const auto directories =
      changes.everything ? std::nullopt : known_directories(before.entries(), changes);
  if (!directories) return scan(root, limits, rules, executor, std::move(stop));
  const auto beneath = Beneath::open(root);
  if (!beneath) return beneath.error();
  Entries found;
  const auto listed =
      Scan(*beneath, limits, rules, executor, stop).list(*directories, before.entries(), found);
  if (!listed) return listed.error();
  if (!*listed) return scan(root, limits, rules, executor, std::move(stop));
  auto entries = std::move(before.entries_);
  replace_files(*entries, changes.directories, std::move(found));
  return finish(std::move(entries), *beneath, limits, rules);
}

TreeState::TreeState(std::unique_ptr<Entries> entries) : entries_(std::move(entries)) {}
TreeState::~TreeState() = default;
TreeState::TreeState(TreeState&&) noexcept = default;
TreeState& TreeState::operator=(TreeState&&) noexcept = default;

const std::string& TreeState::id() const {
  return entries_->id;
}

std::size_t TreeState::file_count() const {
  return entries_->list.size();
}

bool TreeState::has_scip() const {
  return entries_->scip != Signature();
}

std::uint64_t TreeState::left_out() const {
  return entries_->left_out;
}

std::uint32_t TreeState::secrets() const {
  return entries_->secrets;
}

const std::vector<IgnoredBy>& TreeState::ignored() const {
  return entries_->ignored;
}

}  // namespace quarry::corpus
