#pragma once

#include <set>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// A Markdown page about a package: its readme, then the members of its package.json that readers
/// ask about. `deprecated` is the reason, empty when it is not.
std::string page_of(std::string_view package_json, std::string_view readme,
                    std::string_view deprecated);

/// The page's name in the package: "NPM-PACKAGE.md", or a similar name when `names` (in lower case)
/// contains that.
std::string page_name(const std::set<std::string>& names);

}  // namespace quarry::resource_npm
