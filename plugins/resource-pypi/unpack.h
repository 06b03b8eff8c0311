/// Archives of source distributions and wheels.
#pragma once

#include "package_source/file.h"
#include "package_source/unpack_budget.h"

#include <quarry/resource.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::resource_pypi {

inline constexpr package_source::UnpackLimits kUnpackLimits{.entries = 200'000,
                                                            .bytes = std::uint64_t{8} << 30};

struct Unpacked {
  std::string root;           ///< the folder that all files lie in, which their paths leave out
  std::string metadata;       ///< PKG-INFO of a source distribution, METADATA of a wheel
  bool has_overview = false;  ///< a file has the name of the overview
  std::vector<std::string> notes;
};

/// Name of the file that the plugin writes itself.
inline constexpr std::string_view kOverview = "PYPI-PACKAGE.md";

/// Adds the files of an archive, called `name`, to `tree`. Nothing is added of an archive that has
/// a path out of it, a device, or more than the limits.
Outcome<Unpacked> unpack(const Call& call, const package_source::File& file,
                         const std::string& name, Tree& tree);

}  // namespace quarry::resource_pypi
