#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace quarry::openai {

/// What GET /models answered, as quarry.model/1 lists models: `usual` first, then those that can be
/// asked in their order, then the rest.
std::string model_list(const nlohmann::json& response, std::string_view usual);

}  // namespace quarry::openai
