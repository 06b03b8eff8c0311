#include "resources/folder.h"

namespace quarry::resources {

Folder::Folder(std::filesystem::path root, const corpus::PackRules& rules)
    : root_(std::move(root)),
      identity_(identity_of(root_).value_or(DirectoryIdentity{})),
      watch_(corpus::FolderWatch::start(root_, rules)) {}

bool Folder::is(const std::filesystem::path& root) const {
  // A watch follows the folder when a directory above it is renamed; the path does not.
  const auto now = identity_of(root);
  return root == root_ && now && *now == identity_;
}

bool Folder::unchanged() {
  // The watch reports a change once, so it stays recorded here until a snapshot contains it.
  if (watch_->changed() || !is(root_)) settled_ = false;
  return settled_;
}

}  // namespace quarry::resources
