/// Archives of source distributions and wheels, read with libarchive.
#pragma once

#include "resource_files/unpack_budget.h"

#include <quarry/resource.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::resource_pypi {

inline constexpr resource_files::UnpackLimits kUnpackLimits{.entries = 200'000,
                                                            .bytes = std::uint64_t{8} << 30};

struct Unpacked {
  std::string root;           ///< the folder that all files lie in, which their paths leave out
  std::string metadata;       ///< PKG-INFO of a source distribution, METADATA of a wheel
  bool has_overview = false;  ///< a file has the name of the overview
  std::vector<std::string> notes;
};

/// Name of the file that the plugin writes itself.
inline constexpr std::string_view kOverview = "PYPI-PACKAGE.md";

/// Adds the files of the archive at `path`, called `name`, to `tree`. Nothing is added of an
/// archive that has a path out of it, a device, or more than the limits.
Outcome<Unpacked> unpack(const Call& call, const std::string& path, const std::string& name,
                         Tree& tree, const resource_files::UnpackLimits& limits = kUnpackLimits);

}  // namespace quarry::resource_pypi
