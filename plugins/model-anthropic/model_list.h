#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::anthropic {

/// The models of a response to GET /v1/models, in the contract's form; `first` and its dated forms
/// ("…-20251001") come first, the rest in the original order.
nlohmann::json models_of(const nlohmann::json& answer, std::string_view first);

}  // namespace quarry::anthropic
