#pragma once

#include "base/error.h"
#include "plugins/instance.h"
#include "plugins/model_provider.h"

#include <memory>
#include <string_view>

namespace quarry::plugins {

/// Begins an exchange whose functions leave the calling thread and are given up when they do not
/// return, as those of a plugin in this process that did not come with the host. The first that is
/// given up, or refused, ends the step with an error that names it; later ones are not called.
/// [worker]
Result<std::unique_ptr<ModelExchange>> begin_limited_exchange(std::shared_ptr<Instance> instance,
                                                              std::string_view chat_request);

}  // namespace quarry::plugins
