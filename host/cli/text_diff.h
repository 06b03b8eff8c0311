#pragma once

#include <string>
#include <string_view>

namespace quarry::cli {

/// What turns `before` into `after`, as "diff -u" shows it, three lines around each change, with
/// `name` in its head. Empty when they are the same.
std::string text_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace quarry::cli
