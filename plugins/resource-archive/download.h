#pragma once

#include "package_source/download.h"
#include "resource-archive/source.h"

#include <optional>
#include <string>

namespace quarry::resource_archive {

/// The header that carries the token, and what tells apart callers that may see different archives.
struct Credentials {
  std::optional<HttpHeader> header;
  std::string identity;
};

/// Reads the token, if the source has one. A failure names the field.
Outcome<Credentials> credentials_of(const Host& host, const Call& call, const Source& source);

/// The download of an archive of at most `most` bytes. `source` must outlive it.
package_source::Download download_of(const Source& source, const Credentials& credentials,
                                     std::uint64_t most);

}  // namespace quarry::resource_archive
