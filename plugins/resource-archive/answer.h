#pragma once

#include "resource-archive/download.h"

namespace quarry::resource_archive {

/// The failure for an HTTP status other than that of an archive.
Failure status_failure(const Source& source, int status, const std::vector<HttpHeader>& headers);

/// The failure for a request that was not permitted: says which redirect is to blame, if any.
Failure refusal(const Transfer& transfer, const Failure& said);

}  // namespace quarry::resource_archive
