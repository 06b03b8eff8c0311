// A source package as a version, and the transfer of its files.
#pragma once

#include "resource-debian/sources.h"
#include "resource-debian/unpack.h"

namespace quarry::resource_debian {

/// The value of resolve. Its id is "<source>_<version>@<SHA-256 of the .dsc>".
std::string version_json(const Wanted& wanted, const Found& found, const Suite& suite,
                         const std::string& indices);
/// The package that a value of resolve describes; nullopt for one from a lock file.
std::optional<Found> found_of(std::string_view version);

/// Finds the package of a lock file's version again: by the usual path, else in the index.
Outcome<Found> locate(const Call& call, const Store& store, const Suites& suites,
                      const Wanted& wanted, std::string_view version);

/// Downloads and unpacks a package. Returns the metadata of its files.
Outcome<std::string> fetch_package(const Call& call, const Store& store, const Wanted& wanted,
                                   const Found& found, quarry::Tree& tree);

}  // namespace quarry::resource_debian
