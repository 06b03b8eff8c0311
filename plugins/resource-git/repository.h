#pragma once

#include "resource-git/entry.h"
#include "resource-git/fields.h"
#include "resource-git/notes.h"
#include "resource-git/remote.h"
#include "resource-git/tree_reader.h"

#include <quarry/resource.hpp>

#include <optional>
#include <string>
#include <vector>

namespace quarry::resource_git {

/// Fetches one commit of a remote into the cache and adds its files to a tree. For one fetch.
///
/// The cache holds a bare shallow repository for each URL, so that an update transfers only new
/// objects; with search paths, one without file contents, to which the contents beneath the paths
/// are fetched in one more request. Files are read from its objects, without a checkout, so
/// filters, attributes, links and the file system's letter case have no effect.
class Checkout {
 public:
  /// The arguments must outlive this object.
  Checkout(const Host& host, const Call& call, Remotes& remotes, const Fields& fields,
           std::string commit);

  /// Returns the notes on content that is not in the tree. [worker]
  Outcome<std::vector<std::string>> run(Tree& tree);

 private:
  /// The failure of a step; `damaged` if a new copy may help.
  struct Trouble {
    Failure failure;
    bool damaged = false;
  };
  using Done = std::optional<Trouble>;

  Done fetch_commit(Entry& entry);
  Done bring_commit(const Entry& entry);
  Done fetch_by_ref(const Entry& entry, const Access& access);
  Done bring_contents(const Entry& entry);
  Done bring_objects(const Entry& entry, const std::string& ids);
  Done hand_over(const Entry& entry, Tree& tree);
  Done list(const Entry& entry, bool sizes);
  Done hand_over_contents(const Entry& entry, Tree& tree);
  Done check_sizes(const Entry& entry, std::uint64_t largest);
  void read_modules(const Entry& entry);
  Done check_search_paths(const Entry& entry);
  std::string list_root(const Entry& entry);

  Done fetch(const Entry& entry, const Access& access, const std::string& refspec,
             std::string_view input);
  /// Runs git on the entry, without network; a failure of git is damage of the entry.
  Done read(const Entry& entry, std::vector<std::string> arguments, std::string_view input,
            const OnBytes& on_output);
  [[nodiscard]] bool partial() const { return !fields_.search_paths.empty(); }
  [[nodiscard]] std::string doing() const;

  const Host& host_;
  const Call& call_;
  Remotes& remotes_;
  const Fields& fields_;
  const std::string commit_;
  std::vector<TreeEntry> files_;  ///< and links, in the order of the tree
  std::size_t handed_over_ = 0;   ///< of files_: the tree accepts each only once
  Notes notes_;
};

}  // namespace quarry::resource_git
