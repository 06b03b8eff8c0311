#include "json_text.h"

#include <nlohmann/json.hpp>

namespace quarry::rest {

std::string dump(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace quarry::rest
