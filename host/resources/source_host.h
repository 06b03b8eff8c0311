#pragma once

#include "base/json.h"

#include <string>

namespace quarry::resources {

/// Host that a canonical resource is probably fetched from: the host of the first member, in order
/// of names, that is an absolute URL; otherwise the name of its type, standing for the one host it
/// fetches from. Ignores notes for people.
std::string source_host(const Json& resource);

}  // namespace quarry::resources
