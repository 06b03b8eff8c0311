#pragma once

#include "config/document.h"

#include <string_view>
#include <vector>

namespace quarry::config {

// What the members of [model] are: the host's own keys, named instances (tables that say which
// `provider` they are of), and options of the provider.

[[nodiscard]] bool is_own_model_key(std::string_view key);
[[nodiscard]] bool is_model_instance(const Json& member);
[[nodiscard]] bool is_provider_option(std::string_view key, const Json& member);

/// The mistakes in the named instances of `root`, by JSON pointer.
std::vector<FieldError> check_model_instances(const Json& root);

/// Removes from the [model] of `root` what was meant for another provider than the one `upper`
/// names: its options and its model.
void forget_other_provider(const Json& upper, Json& root);

}  // namespace quarry::config
