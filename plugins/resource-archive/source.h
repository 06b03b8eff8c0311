#pragma once

#include "resource-archive/url.h"

#include <quarry/outcome.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_archive {

struct Source {
  Url url;
  std::string sha256;  ///< of the archive, in lower case; empty = any
  std::size_t strip = 0;
  std::string path;  ///< without slashes at its ends; empty = everything
  std::vector<std::string> redirects;
  std::string token;  ///< the name of the secret; empty = none
  std::string token_header;
  std::map<std::string, std::string> headers;

  /// Equal text for equal sources.
  [[nodiscard]] std::string canonical() const;
};

/// Reads and checks the fields; a failure names the field.
Outcome<Source> read_source(std::string_view resource);

/// The value of parse_reference: a resource as JSON, or "null".
std::string resource_of_reference(std::string_view reference);

}  // namespace quarry::resource_archive
