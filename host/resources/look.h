#pragma once

#include "resources/request.h"
#include "resources/workshop.h"

#include <optional>

namespace quarry::resources {

/// The answer that needs no question to the source; nothing when the source has to be asked. What
/// is due and may be refreshed in the background is refreshed after this.
std::optional<Prepared> look(const Workshop& workshop, const Request& request);

}  // namespace quarry::resources
