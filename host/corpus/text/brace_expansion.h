#pragma once

#include "base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// All texts that `pattern` expands to: "a{b,c{d,e}}" gives ab, acd, ace. A brace after `\` or
/// within [ ] is literal. kInvalidArgument for an open brace or more than 256 texts.
Result<std::vector<std::string>> expand_braces(std::string_view pattern);

}  // namespace quarry::corpus
