#pragma once

#include "resource-archive/plan.h"
#include "resource-archive/source.h"
#include "resource-archive/store.h"

#include <quarry/http.hpp>

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

struct Transfer {
  const Host& host;
  const Call& call;
  const Source& source;
  const Credentials& credentials;
  const Store& store;
  std::uint64_t most = 0;  ///< bytes
};

/// Downloads the archive into the store, and returns its facts. With `known` the request is
/// conditional: facts without a digest mean that nothing has changed. A transfer that was cut is
/// continued.
Outcome<Facts> download(const Transfer& transfer, const Validators& known);

/// The digest of a file; a failure when it cannot be read.
Outcome<std::string> digest_of(const Call& call, const std::string& file);

}  // namespace quarry::resource_archive
