#pragma once

#include "model-extractive/lines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::extractive {

/// "[name:path#L1-L2]", when `path` begins with one of `names`; the longest one that fits.
[[nodiscard]] std::optional<std::string> citation(const std::string& path,
                                                  const std::vector<std::string>& names,
                                                  std::uint32_t first, std::uint32_t last);

/// The lines in a fence that no run of backticks in them ends.
[[nodiscard]] std::string fenced(const std::vector<NumberedLine>& lines);

}  // namespace quarry::extractive
