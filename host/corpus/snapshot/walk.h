#pragma once

#include "base/error.h"
#include "corpus/snapshot/beneath.h"
#include "corpus/snapshot/git_ignore.h"
#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/snapshot_state.h"

#include <string>
#include <vector>

namespace quarry::corpus {

/// One entry of a tree that belongs in a snapshot.
struct TreeEntry {
  enum class Type : std::uint8_t { kFile, kLink, kUnreadable };
  std::string path;
  Type type;
  Signature signature;
};

/// A directory to be walked, with the patterns in force above it.
struct OpenDirectory {
  std::string path;  ///< relative to the root, "" = the root
  IgnoreScopes scopes;
};

/// The contents of one directory that the rules keep. Neither list is sorted.
struct WalkedDirectory {
  std::vector<TreeEntry> entries;
  std::vector<OpenDirectory> directories;
  std::uint32_t secrets = 0;       ///< number of files left out by their names
  std::vector<IgnoredBy> ignored;  ///< by rules of ignore files; in a report by all rules
};

enum class WalkDetail : std::uint8_t {
  kDirectories,  ///< entries and `ignored` are left empty
  kSignatures,
  kReport,  ///< without signatures; `ignored` has examples
};

/// The start of every walk of a folder: its root, with the patterns of the repository around it.
OpenDirectory walk_root(const Beneath& root, const PackRules& rules);

/// The signature of the regular file `name` in the root; that of no file if it is not there.
Signature signature_in(const Beneath& root, const std::string& name);

/// Lists one directory. A directory that cannot be read becomes one kUnreadable entry; anything
/// that is neither file, directory nor link (a FIFO, a socket, a device) is skipped.
WalkedDirectory walk_directory(const Beneath& root, const OpenDirectory& directory,
                               const PackRules& rules, WalkDetail detail);

}  // namespace quarry::corpus
