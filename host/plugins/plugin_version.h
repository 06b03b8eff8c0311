#pragma once

#include <compare>
#include <string_view>

namespace quarry::plugins {

/// Precedence of two versions by Semantic Versioning 2.0, section 11. Texts that are no such
/// version are compared by the same rules: parts between dots, numbers by their value. [any]
[[nodiscard]] std::weak_ordering compare_versions(std::string_view left, std::string_view right);

/// True for "1.0.0-beta.1".
[[nodiscard]] bool is_pre_release(std::string_view version);

}  // namespace quarry::plugins
