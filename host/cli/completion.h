#pragma once

#include <string>

namespace quarry::cli {

/// The completion script for "bash", "zsh" or "fish", made from all_verbs().
std::string completion_script(const std::string& shell);

}  // namespace quarry::cli
