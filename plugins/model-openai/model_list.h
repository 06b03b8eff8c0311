#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace quarry::openai {

/// The response to GET /models in the form of quarry.model/1: `usual` first, then chat models in
/// their order, then the rest.
std::string model_list(const nlohmann::json& response, std::string_view usual);

}  // namespace quarry::openai
