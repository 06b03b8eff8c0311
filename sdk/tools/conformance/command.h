#pragma once

#include "conformance/conformance.h"

#include <optional>
#include <string>
#include <vector>

namespace quarry::conformance {

/// The options of both programs as the user wrote them; empty = default.
struct Command {
  std::string plugin;
  std::vector<std::string> checks = {};
  std::string resource = {};       ///< JSON text
  std::string configuration = {};  ///< path of a JSON file
  std::string seed = {};
  std::string limit = {};   ///< milliseconds
  std::string memory = {};  ///< MiB
  std::string junit = {};   ///< path to write
};

/// kInvalidArgument names the option that has no such value.
Result<Options> options_of(const Command& command);

/// Runs the checks and writes the JUnit file, if one is named.
Result<Report> run(const Command& command, const plugins::LoadCheck& load);

}  // namespace quarry::conformance
