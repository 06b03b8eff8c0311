#pragma once

#include "ask/exchange_model.h"
#include "services/secrets.h"

#include <string>
#include <vector>

namespace quarry::engine {

/// The present values of these secrets, so that what continues after a reload never sends a new
/// provider's key to the old provider; other secrets have the values of their time. `secrets` must
/// outlive it.
ask::GetSecret current_secrets(const std::vector<std::string>& needs,
                               services::SecretStore& secrets);

}  // namespace quarry::engine
