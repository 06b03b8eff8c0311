/// Names of projects (PEP 503) and of the files of a release (PEP 427, PEP 625).
#pragma once

#include "resource-pypi/pep440.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_pypi {

/// True for letters, digits, '.', '_' and '-', the first and last a letter or digit.
bool is_project_name(std::string_view name);
/// Lower case, runs of '.', '_' and '-' as one '-'.
std::string normalised_name(std::string_view name);

/// What the name of a file says.
struct FileName {
  bool wheel = false;
  Version version;
  std::string suffix;  ///< ".tar.gz", ".zip", ".whl" …
  std::string build;   ///< of a wheel: its build tag
  std::string python;  ///< of a wheel: its tags
  std::string platform;
};

/// Reads the name of a source distribution or wheel of `project` (normalised); nullopt when it is
/// something else: another project's, a format without sources, or no version of PEP 440.
std::optional<FileName> file_name(std::string_view name, std::string_view project);

/// The suffix of an archive that can be read; empty when it is none.
std::string_view archive_suffix(std::string_view name);

}  // namespace quarry::resource_pypi
