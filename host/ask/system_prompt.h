#pragma once

#include "ask/events.h"
#include "resources/library.h"

#include <string>
#include <vector>

namespace quarry::ask {

/// The rules and the resources of a question, for the model. The same resources give the same text,
/// so that a provider's cache of the prompt holds.
std::string system_prompt(const std::vector<resources::Prepared>& prepared,
                          const std::vector<Trouble>& failed);

}  // namespace quarry::ask
