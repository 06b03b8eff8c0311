#pragma once

#include <quarry/http.hpp>
#include <quarry/outcome.hpp>

#include <string>

namespace quarry::resource_npm {

/// What was asked of which registry, for the words of a failure.
struct Asked {
  std::string package;
  std::string registry;  ///< URL
  std::string what;      ///< "react", "the tarball of react 18.2.0"
  bool with_credentials = false;
  std::string missing_variable;  ///< of .npmrc
  bool for_projects = false;     ///< then the owner of the server is the one who can help
};

/// Why an answer with another status than 200 and 304 is none: in the registry's own words, with
/// what to do about it.
Failure refused(const Asked& asked, const HttpResponse& response);

/// A failure of the host's HTTP, saying what it was for.
Failure not_reached(const Asked& asked, Failure failure);

}  // namespace quarry::resource_npm
