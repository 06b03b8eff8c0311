#include "resources/folder.h"

#include <utility>

namespace quarry::resources {

Folder::Folder(std::filesystem::path root, const corpus::PackRules& rules)
    : root_(std::move(root)),
      identity_(identity_of(root_).value_or(DirectoryIdentity{})),
      watch_(corpus::FolderWatch::start(root_, rules)),
      rules_(rules) {}

bool Folder::is(const std::filesystem::path& root) const {
  // A watch follows the folder when a directory above it is renamed; the path does not.
  const auto now = identity_of(root);
  return root == root_ && now && *now == identity_;
}

bool Folder::unchanged() {
  // The watch reports a change once, so it stays recorded here until a snapshot contains it.
  corpus::TreeChanges changes = watch_->changes();
  if (changes.any() || !is(root_)) settled_ = false;
  changes_.add(std::move(changes));
  return settled_;
}

Result<const corpus::TreeState*> Folder::scan(const corpus::PackLimits& limits, Executor& executor,
                                              std::stop_token stop) {
  const corpus::TreeChanges changes = std::exchange(changes_, {});
  auto before = std::exchange(state_, std::nullopt);
  auto now = before ? corpus::TreeState::rescan(std::move(*before), changes, root_, limits, rules_,
                                                executor, std::move(stop))
                    : corpus::TreeState::scan(root_, limits, rules_, executor, std::move(stop));
  if (!now) return std::move(now).error();
  return &state_.emplace(std::move(*now));
}

}  // namespace quarry::resources
