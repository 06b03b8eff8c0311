#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::anthropic {

/// The models of an answer to GET /v1/models, as the contract has them; `first` and its dated forms
/// ("…-20251001") come first, the rest in the order they came.
nlohmann::json models_of(const nlohmann::json& answer, std::string_view first);

}  // namespace quarry::anthropic
