#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::gemini {

/// Adds the models of one page of Google's list that generate text to `models`, in the form of
/// <quarry/model.h>.
void add_models(const nlohmann::json& page, nlohmann::json& models);

/// Moves the model `id` to the front of `models`, if present.
void put_first(std::string_view id, nlohmann::json& models);

}  // namespace quarry::gemini
