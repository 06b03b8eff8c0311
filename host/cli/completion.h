#pragma once

#include "cli/component_schemas.h"

#include <string>
#include <vector>

namespace quarry::cli {

/// The completion script for "bash", "zsh" or "fish", made from all_verbs(), which see for
/// `types`.
std::string completion_script(const std::string& shell, const std::vector<OfferedType>& types = {});

}  // namespace quarry::cli
