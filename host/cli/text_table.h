#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::cli {

/// Formats rows as aligned columns with two blanks between them. Columns marked in `right` are
/// right-aligned, others left-aligned. Every row has as many cells as the first.
std::string text_table(std::vector<std::vector<std::string>> rows, const std::vector<bool>& right);

/// "12.50", with so many digits after the point.
std::string fixed(double value, int decimals);

/// "1,234,567"
std::string grouped(std::int64_t count);

}  // namespace quarry::cli
