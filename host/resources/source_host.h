#pragma once

#include "base/json.h"

#include <string>
#include <string_view>

namespace quarry::resources {

/// The host of an absolute URL: lower case, without user, port, brackets and a final dot. Empty
/// when `url` is no absolute URL.
std::string host_of_url(std::string_view url);

/// The host that a canonical resource is fetched from, as far as its members tell: that of the
/// first one, in order of their names, that is an absolute URL; else the name of its type, which
/// stands for the one place it fetches from. Notes for people count for nothing.
std::string source_host(const Json& resource);

}  // namespace quarry::resources
