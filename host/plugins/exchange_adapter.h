#pragma once

#include "plugins/instance.h"
#include "plugins/model_provider.h"

#include <quarry/model.h>

#include <memory>

namespace quarry::plugins {

/// Wraps one exchange of a provider and destroys it on destruction. Keeps the instance until then.
std::unique_ptr<ModelExchange> adapt_exchange(std::shared_ptr<Instance> instance,
                                              quarry_exchange* exchange);

}  // namespace quarry::plugins
