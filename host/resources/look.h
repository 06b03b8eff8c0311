#pragma once

#include "resources/preparation_context.h"
#include "resources/request.h"

#include <optional>

namespace quarry::resources {

/// The answer that needs no question to the source; nothing when the source has to be asked. What
/// is due and may be refreshed in the background is refreshed after this.
std::optional<Prepared> look(const PreparationContext& context, const Request& request);

}  // namespace quarry::resources
