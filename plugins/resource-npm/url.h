#pragma once

#include "package_source/url.h"

#include <optional>
#include <string_view>

namespace quarry::resource_npm {

using package_source::Url;

/// An http or https URL that a registry may have; nullopt for any other, and for one with a user, a
/// query, a fragment, "." or ".." parts, or characters that a URL does not have.
std::optional<Url> plain_url(std::string_view text);

}  // namespace quarry::resource_npm
