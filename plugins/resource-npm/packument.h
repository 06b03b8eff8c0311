#pragma once

#include "resource-npm/integrity.h"
#include "resource-npm/wanted.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// One version in a packument.
struct Release {
  std::string tarball;     ///< URL
  std::string integrity;   ///< the strongest known, as Integrity::text; empty = none is told
  std::string deprecated;  ///< why, empty when it is not
};

/// What a registry knows of a package (npm calls the document "packument"), as far as it is needed
/// to find a version and its files.
struct Packument {
  std::string name;
  std::string etag;
  std::map<std::string, std::string, std::less<>> tags;
  std::map<std::string, Release, std::less<>> releases;  ///< by version

  /// Reads a registry's answer, abbreviated or whole. Nothing when it is none. One that is still to
  /// come is read by PackumentReader: those of big packages have tens of megabytes.
  static std::optional<Packument> read(std::string_view json);
  /// What it keeps, in the same form.
  [[nodiscard]] std::string text() const;
};

}  // namespace quarry::resource_npm
