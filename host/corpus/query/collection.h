#pragma once

#include "base/error.h"
#include "corpus/query/search_models.h"
#include "corpus/snapshot/snapshot.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// One named resource of a question.
struct Source {
  std::string name;
  std::shared_ptr<const Snapshot> snapshot;
};

/// A parsed path of a model: the source that it names, and the path within.
struct Location {
  std::size_t source;
  std::string path;  ///< normalised, "" = the root of the source
};

/// The place in `names` of the source that `path` begins with: the longest name, without regard to
/// case; nullopt if there is none, or the path leaves its root.
[[nodiscard]] std::optional<std::size_t> source_named_by(std::span<const std::string> names,
                                                         std::string_view path);

/// Lines of a file, from 1; both are included.
struct LineRange {
  std::uint32_t first;
  std::uint32_t last;
};
/// The lines behind a path, as in a citation or a compiler's message: "#L3-L9", ":3", ":3-9",
/// ":3:1"; nullopt if there are none.
[[nodiscard]] std::optional<LineRange> lines_behind(std::string_view path);

/// The named snapshots that one question may read. The root lists the names; every other path is
/// "<name>/<path>". A name may itself contain '/' ("@scope/pkg"); the longest matching name wins.
/// Immutable, thread-safe.
class Collection {
 public:
  explicit Collection(std::vector<Source> sources, SearchModels models = {})
      : sources_(std::move(sources)), models_(std::move(models)) {}

  [[nodiscard]] const std::vector<Source>& sources() const { return sources_; }
  [[nodiscard]] const SearchModels& models() const { return models_; }
  /// The source and the path within it that `path` refers to; nullopt for the root of the
  /// collection. kInvalidArgument for a path that leaves its root; kNotFound, with similar names,
  /// for an unknown source. Names match case-insensitively; a path may have the form that shown()
  /// writes. The name of an only source may be omitted, unless the path is one with it as well.
  Result<std::optional<Location>> resolve(std::string_view path) const;

 private:
  std::vector<Source> sources_;
  SearchModels models_;
};

}  // namespace quarry::corpus
