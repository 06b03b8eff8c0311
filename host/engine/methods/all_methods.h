#pragma once

#include "engine/methods/method_table.h"

namespace quarry::engine {

/// The methods of every engine, also for who reads the answers of another one. [any thread]
const MethodTable& all_methods();

}  // namespace quarry::engine
