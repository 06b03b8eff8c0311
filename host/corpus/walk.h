#pragma once

#include "base/error.h"
#include "corpus/beneath.h"
#include "corpus/git_ignore.h"
#include "corpus/pack.h"
#include "corpus/snapshot_state.h"

#include <memory>
#include <string>
#include <vector>

namespace quarry::corpus {

/// One entry of a tree that belongs into a snapshot.
struct TreeEntry {
  enum class Type : std::uint8_t { kFile, kLink, kUnreadable };
  std::string path;
  Type type;
  Signature signature;
};

/// A directory still to be walked, with the patterns in force in it.
struct OpenDirectory {
  std::string path;  ///< relative to the root, "" = the root
  std::shared_ptr<const IgnoreScope> scope;
};

/// What one directory holds once the rules have been applied. Neither list is in order.
struct WalkedDirectory {
  std::vector<TreeEntry> entries;
  std::vector<OpenDirectory> directories;
  std::uint32_t secrets = 0;  ///< files left out as such, by their names
};

enum class WalkDetail : std::uint8_t {
  kDirectories,  ///< entries are left empty
  kSignatures,
};

/// Where every walk of a folder begins: its root, under what the repository around it says.
OpenDirectory walk_root(const Beneath& root, const PackRules& rules);

/// Looks into one directory. A directory that cannot be read is one kUnreadable entry; what is
/// neither file, directory nor link (a FIFO, a socket, a device) is passed over.
WalkedDirectory walk_directory(const Beneath& root, const OpenDirectory& directory,
                               const PackRules& rules, WalkDetail detail);

}  // namespace quarry::corpus
