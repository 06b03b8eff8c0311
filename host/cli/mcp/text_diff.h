#pragma once

#include <string>
#include <string_view>

namespace quarry::cli {

/// Difference of `before` and `after` in the format of "diff -u", with three lines of context and
/// `name` in the header. Empty if they are equal.
std::string text_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace quarry::cli
