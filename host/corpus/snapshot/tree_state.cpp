#include "corpus/snapshot/tree_state.h"

#include "base/hash.h"
#include "corpus/scip/scip_index.h"
#include "corpus/snapshot/pack_limits.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

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

/// A walk of a folder, one level of directories after the other.
class Scan {
 public:
  Scan(const Beneath& root, const PackLimits& limits, const PackRules& rules, Executor& executor,
       std::stop_token stop)
      : root_(root), limits_(limits), rules_(rules), executor_(executor), stop_(std::move(stop)) {}

  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] std::uint32_t secrets() const { return secrets_; }

  /// Those that left nothing or little of the `files`; see TreeState::ignored().
  [[nodiscard]] std::vector<IgnoredBy> ignored(std::size_t files) const {
    std::uint64_t directories = 0;
    for (const auto& [rule, by] : ignored_) directories += by.directories;
    if (files > 0 && directories <= files) return {};
    std::vector<IgnoredBy> sorted;
    for (const auto& [rule, by] : ignored_) sorted.push_back(by);
    std::ranges::stable_sort(sorted, std::greater(), &IgnoredBy::entries);
    return sorted;
  }

  Result<std::vector<TreeEntry>> run() {
    std::vector<OpenDirectory> level = {walk_root(root_, rules_)};
    while (!level.empty()) {
      std::vector<WalkedDirectory> walked = walk(level);
      if (stop_.stop_requested()) return Error{Code::kCancelled, "the scan was cancelled"};
      level.clear();
      for (WalkedDirectory& directory : walked) {
        Status taken = take(std::move(directory), level);
        if (!taken) return std::move(taken).error();
      }
    }
    std::ranges::sort(entries_, {}, &TreeEntry::path);
    return std::move(entries_);
  }

 private:
  std::vector<WalkedDirectory> walk(const std::vector<OpenDirectory>& level) {
    std::vector<WalkedDirectory> walked(level.size());
    parallel_for(executor_, level.size(), [&](std::size_t i) {
      if (stop_.stop_requested()) return;
      walked[i] = walk_directory(root_, level[i], rules_, WalkDetail::kSignatures);
    });
    return walked;
  }

  Status take(WalkedDirectory directory, std::vector<OpenDirectory>& next) {
    leave_out(directory.entries);
    leave_out(directory.directories);
    for (std::size_t i = 0; i < directory.entries.size(); ++i) {
      const Status allowed = limits_.add_file();
      if (!allowed) return allowed;
    }
    secrets_ += directory.secrets;
    std::ranges::move(directory.entries, std::back_inserter(entries_));
    note_ignored(directory.ignored);
    std::ranges::move(directory.directories, std::back_inserter(next));
    return {};
  }

  void note_ignored(const std::vector<IgnoredBy>& ignored) {
    for (const IgnoredBy& by : ignored) {
      IgnoredBy& sum = ignored_.try_emplace(by.rule, IgnoredBy{.rule = by.rule}).first->second;
      sum.entries += by.entries;
      sum.directories += by.directories;
    }
  }

  template <class Found>
  void leave_out(std::vector<Found>& found) {
    left_out_ += std::erase_if(found, [&](const Found& one) { return !limits_.fits(one.path); });
  }

  const Beneath& root_;
  LimitCheck limits_;
  const PackRules& rules_;
  Executor& executor_;
  std::stop_token stop_;
  std::vector<TreeEntry> entries_;
  std::uint64_t left_out_ = 0;
  std::uint32_t secrets_ = 0;
  std::map<std::string, IgnoredBy> ignored_;  // by rule
};

}  // namespace

Result<TreeState> TreeState::scan(const std::filesystem::path& root, const PackLimits& limits,
                                  const PackRules& rules, Executor& executor,
                                  std::stop_token stop) {
  const auto beneath = Beneath::open(root);
  if (!beneath) return beneath.error();
  Scan scan(*beneath, limits, rules, executor, std::move(stop));
  auto list = scan.run();
  if (!list) return std::move(list).error();
  auto entries = std::make_unique<Entries>();
  entries->left_out = scan.left_out();
  entries->secrets = scan.secrets();
  entries->skip_secrets = rules.skip_secrets;
  entries->ignored = scan.ignored(list->size());
  entries->scip = signature_in(*beneath, kScipSource);
  entries->id = id_of(*list, rules, *entries);
  entries->list = std::move(*list);
  return TreeState(std::move(entries));
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
