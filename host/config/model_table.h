#pragma once

#include "config/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::config {

// Members of [model]: the host's own keys, named instances (tables with a `provider`), and options
// of the provider.

[[nodiscard]] bool is_own_model_key(std::string_view key);
[[nodiscard]] bool is_model_instance(const Json& member);
[[nodiscard]] bool is_provider_option(std::string_view key, const Json& member);

/// The host's own key that was meant by `key`, which is none: "max_steps" for "max_step"; empty if
/// there is none like it.
[[nodiscard]] std::string own_model_key_like(std::string_view key);
/// Names such keys in the mistakes of a provider, by JSON pointers of [model], about options that
/// it does not know.
void name_own_model_keys(std::vector<FieldError>& mistakes);

/// Mistakes in the named instances of `root`, by JSON pointer.
std::vector<FieldError> check_model_instances(const Json& root);

/// Removes options and model from the [model] of `root` if `upper` names another provider.
void drop_other_provider(const Json& upper, Json& root);

}  // namespace quarry::config
