#pragma once

#include <quarry/outcome.hpp>

#include <initializer_list>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::store_sql {

/// Parses the configuration of a store; members other than `known` are an error.
Outcome<nlohmann::json> read_configuration(std::string_view text,
                                           std::initializer_list<std::string_view> known);

}  // namespace quarry::store_sql
