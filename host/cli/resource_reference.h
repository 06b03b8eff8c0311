#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/option.h"

#include <string>
#include <vector>

namespace quarry::cli {

class Connection;

/// Converts a path to the absolute path that the engine requires; any other text is a name or a
/// reference.
Result<std::string> resource_reference(const std::string& text);

/// The resource that a plugin makes from a reference; it is not added.
Result<Json> recognised(Connection& connection, const std::string& reference);

/// Adds the named resources to the params of a method; none = all.
Status add_resources(Json& params, const std::vector<std::string>& resources);

/// A thread id that is unique for this user and short enough to type.
std::string fresh_thread();
/// The id of the most recent conversation.
Result<std::string> last_thread(Connection& connection);

/// -r, which a verb may have several times. `help` begins with its verb: "Ask over this resource".
Option resource_option(std::vector<std::string>& resources, const std::string& help);

}  // namespace quarry::cli
