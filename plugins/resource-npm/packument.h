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
  std::string integrity;   ///< the strongest known, as Integrity::text; empty = none given
  std::string deprecated;  ///< the reason, empty when it is not
};

/// The part of a registry's document about a package (npm calls it "packument") that is needed to
/// find a version and its files.
struct Packument {
  std::string name;
  std::string etag;
  std::map<std::string, std::string, std::less<>> tags;
  std::map<std::string, Release, std::less<>> releases;  ///< by version

  /// Parses a registry's response, abbreviated or full; nullopt when it is something else.
  /// Responses from the network go through PackumentReader, because those of big packages have tens
  /// of megabytes.
  static std::optional<Packument> read(std::string_view json);
  /// The packument as JSON in the same form.
  [[nodiscard]] std::string text() const;
};

}  // namespace quarry::resource_npm
