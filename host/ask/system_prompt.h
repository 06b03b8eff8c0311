#pragma once

#include "ask/events.h"

#include <string>
#include <string_view>

namespace quarry::ask {

/// How a model is to answer: the same for every question.
std::string_view system_rules();

/// The resources of a question, as its model is told behind the rules. The same resources give the
/// same text, so that a provider's cache of the prompt holds.
std::string resource_list(const PreparedResources& resources);

}  // namespace quarry::ask
