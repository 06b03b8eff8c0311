#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::cli {

/// Lines with their cells under each other, two blanks between columns. Columns that `right` names
/// end at the same place, the others begin there. Every row has as many cells as the first.
std::string text_table(std::vector<std::vector<std::string>> rows, const std::vector<bool>& right);

/// "1,234,567"
std::string grouped(std::int64_t count);

}  // namespace quarry::cli
