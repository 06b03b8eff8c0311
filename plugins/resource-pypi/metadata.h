/// Core metadata of a package (PKG-INFO, METADATA) and the overview made of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::resource_pypi {

struct Metadata {
  std::vector<std::pair<std::string, std::string>> fields;  ///< names in lower case, in order
  std::string description;

  [[nodiscard]] std::string first(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
};

/// Reads the fields, and the description from the body or from its field.
Metadata read_metadata(std::string_view text);

struct OverviewFacts {
  std::string package;
  std::string version;
  std::string file;
  std::string hash;
  std::string requires_python;  ///< of the index, where the metadata has none
};

/// PYPI-PACKAGE.md: what the package is, what it needs, and its readme. `complete` is the metadata
/// of a wheel of the same version, which knows all dependencies; may have no fields.
std::string overview(const OverviewFacts& facts, const Metadata& own, const Metadata& complete);

}  // namespace quarry::resource_pypi
