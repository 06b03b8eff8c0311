// Finds a source package in the indices of a suite.
#pragma once

#include "resource-debian/suite.h"

namespace quarry::resource_debian {

/// A source package as the signed index describes it.
struct Found {
  std::string package;
  std::string version;
  std::string component;
  std::string directory;
  std::vector<Listed> files;  ///< the .dsc among them
  bool extra = false;         ///< kept for the licences of other packages only
  bool in_sources = false;    ///< at sources.debian.org

  [[nodiscard]] const Listed* dsc() const;
};

/// The newest version, or the wanted one. A name of a binary package finds its source.
Outcome<Found> find_source(const Call& call, const Store& store, const Wanted& wanted,
                           const Suite& suite);

/// One text for the source indices that `wanted` reads: equal while they are unchanged.
Outcome<std::string> indices_of(const Wanted& wanted, const Suite& suite);

/// True for a name that is one part of a path, of the characters that file names of packages have.
bool is_plain_name(std::string_view name);
/// The same for a path of several parts.
bool is_plain_path(std::string_view path);

}  // namespace quarry::resource_debian
