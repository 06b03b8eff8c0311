#pragma once

#include "resource-archive/source.h"

#include <optional>
#include <string>

namespace quarry::resource_archive {

struct Pages {
  std::string base;   ///< URL of the repository's files at the commit, with a '/' at its end
  std::string lines;  ///< fragment with {start} and {end}
  bool each = false;  ///< paths begin with the archive's own folder: one template does not fit all

  /// The template for all files; empty if `each`.
  [[nodiscard]] std::string all() const;
  [[nodiscard]] std::string page_of(std::string_view path) const;
};

/// Nothing when no public page of the files is known. `commit` is what the archive says.
std::optional<Pages> pages_of(const Source& source, const std::string& commit);

}  // namespace quarry::resource_archive
