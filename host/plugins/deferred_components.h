#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/model_provider.h"
#include "plugins/pricing_catalogue.h"
#include "plugins/resource_type.h"

#include <functional>
#include <memory>

namespace quarry::plugins {

/// Makes a component, for which its plugin is loaded. Called once.
template <class Interface>
using MakeComponent = std::function<Result<std::shared_ptr<Interface>>()>;

// Facts about a component that its users need before they call a function of it. [any]
Json facts_of(const ResourceType& type);
Json facts_of(const ModelProvider& provider);
Json facts_of(const PricingCatalogue& catalogue);

// A component with these facts that is made by the first function that needs its plugin, whose
// caller waits for it. If it cannot be made, every function fails with the cause. Null unless
// `facts` are those of a component of its kind. [any]
std::shared_ptr<ResourceType> deferred(const Json& facts, MakeComponent<ResourceType> make);
std::shared_ptr<ModelProvider> deferred(const Json& facts, MakeComponent<ModelProvider> make);
std::shared_ptr<PricingCatalogue> deferred(const Json& facts, MakeComponent<PricingCatalogue> make);

}  // namespace quarry::plugins
