#pragma once

#include <set>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// A page about a package in Markdown: its readme, then what its package.json says that a reader
/// asks for. `deprecated` is why it is, empty when it is not.
std::string page_of(std::string_view package_json, std::string_view readme,
                    std::string_view deprecated);

/// The page's name in the package: "NPM-PACKAGE.md", or one like it when `names` (in lower case)
/// has that.
std::string page_name(const std::set<std::string>& names);

}  // namespace quarry::resource_npm
