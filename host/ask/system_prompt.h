#pragma once

#include "ask/events.h"

#include <string>
#include <string_view>

namespace quarry::ask {

/// Rules for answering, the same for every question; `with_symbols`: also when to use the tools
/// that find symbols. Of static duration.
std::string_view system_rules(bool with_symbols);

/// Description of a question's resources, which follows the rules in the prompt. The same resources
/// give the same text, so that a provider's prompt cache stays valid.
std::string resource_list(const PreparedResources& resources);

}  // namespace quarry::ask
