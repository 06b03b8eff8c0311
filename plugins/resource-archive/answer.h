#pragma once

#include "resource-archive/download.h"

namespace quarry::resource_archive {

/// The failure for an HTTP status other than that of an archive.
Failure status_failure(const Source& source, int status, const std::vector<HttpHeader>& headers);

/// `said` by the host's HTTP; names the host that a redirect led to, if that was not permitted.
Failure refusal(const Source& source, const Failure& said);

}  // namespace quarry::resource_archive
