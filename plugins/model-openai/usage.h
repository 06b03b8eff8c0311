#pragma once

#include <quarry/model.h>

#include <optional>

#include <nlohmann/json_fwd.hpp>

namespace quarry::openai {

/// The counts of a `usage` object, as either API and its dialects name them; nothing when it has
/// none. Cached tokens are inside the input, reasoning inside the output.
std::optional<quarry_usage> read_usage(const nlohmann::json& usage);

}  // namespace quarry::openai
