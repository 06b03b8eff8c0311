#pragma once

#include <quarry/model.h>

#include <optional>

#include <nlohmann/json_fwd.hpp>

namespace quarry::openai {

/// The counts of a `usage` object, with the names of either API and its dialects; nullopt when it
/// has none. Cached tokens are part of the input, reasoning of the output.
std::optional<quarry_usage> read_usage(const nlohmann::json& usage);

}  // namespace quarry::openai
