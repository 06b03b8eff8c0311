#pragma once

#include "base/json.h"

#include <string>
#include <string_view>

namespace quarry::resources {

/// The host of an absolute URL: lower case, without user, port, brackets and a final dot. Empty if
/// `url` is not an absolute URL.
std::string host_of_url(std::string_view url);

/// Host that a canonical resource is probably fetched from: the host of the first member, in order
/// of names, that is an absolute URL; otherwise the name of its type, standing for the one host it
/// fetches from. Ignores notes for people.
std::string source_host(const Json& resource);

}  // namespace quarry::resources
