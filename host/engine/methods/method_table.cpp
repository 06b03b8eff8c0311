#include "engine/methods/method_table.h"

#include <utility>

namespace quarry::engine {

void MethodTable::add(Method method) {
  const std::string_view name = method.name;
  methods_.emplace(name, std::move(method));
}

const Method* MethodTable::find(std::string_view name) const {
  const auto found = methods_.find(name);
  return found == methods_.end() ? nullptr : &found->second;
}

}  // namespace quarry::engine
