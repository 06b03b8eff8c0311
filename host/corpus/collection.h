#pragma once

#include "base/error.h"
#include "corpus/snapshot.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// One named resource of a question.
struct Source {
  std::string name;
  std::shared_ptr<const Snapshot> snapshot;
};

/// A path as the model writes it, taken apart: the source it names and the path within.
struct Location {
  std::size_t source;
  std::string path;  ///< normalised, "" = the root of the source
};

/// What one question may read: a few snapshots under their names. The root lists the names; every
/// other path is "<name>/<path>". A name may itself contain '/' ("@scope/pkg"); the longest name
/// that fits wins. Immutable, thread-safe.
class Collection {
 public:
  explicit Collection(std::vector<Source> sources) : sources_(std::move(sources)) {}

  [[nodiscard]] const std::vector<Source>& sources() const { return sources_; }
  /// Where `path` points: a source and a path in it, or nullopt for the root of the collection.
  /// kInvalidArgument for a path that leaves its root; kNotFound, with near names, for an unknown
  /// source. Names match case-insensitively; a path may be written as shown() writes it. One source
  /// alone may be left out of the path when the first component is not its name.
  Result<std::optional<Location>> resolve(std::string_view path) const;

 private:
  std::vector<Source> sources_;
};

}  // namespace quarry::corpus
