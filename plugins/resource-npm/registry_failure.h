#pragma once

#include <quarry/http.hpp>
#include <quarry/outcome.hpp>

#include <cstddef>
#include <string>

namespace quarry::resource_npm {

/// A request to a registry, for the message of a failure.
struct Asked {
  std::string package;
  std::string registry;  ///< URL
  std::string what;      ///< "react", "the tarball of react 18.2.0"
  bool with_credentials = false;
  std::string missing_variable;  ///< of .npmrc
  bool for_projects = false;     ///< then hints address the owner of the server
};

/// Status of a response with the requested body.
inline constexpr int kOk = 200;

/// Kept bytes of the body of any other response.
inline constexpr std::size_t kMostErrorBody = std::size_t{64} << 10;

/// The failure for a response with another status than 200 and 304: the registry's own message,
/// with a hint.
Failure refused(const Asked& asked, const HttpResponse& response);

/// The failure for a package of which the registry keeps the name alone.
Failure unpublished(const Asked& asked);

/// A failure of the host's HTTP, with its request named; for a host that no field names, with the
/// field that can.
Failure not_reached(const Asked& asked, Failure failure);

}  // namespace quarry::resource_npm
