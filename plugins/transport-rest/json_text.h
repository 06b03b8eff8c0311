#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace quarry::rest {

/// Text of a value; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string dump(const nlohmann::json& value);

}  // namespace quarry::rest
