#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/option.h"

#include <string>
#include <vector>

namespace quarry::cli {

class Connection;

/// Converts a path, which begins with '/', '.' or '~' or holds a '/', to the absolute path that the
/// engine requires; any other text is a name or a reference. kNotFound where the path is of
/// nothing.
Result<std::string> resource_reference(const std::string& text);

/// The resource that a plugin makes from a reference; it is not added.
Result<Json> recognised(Connection& connection, const std::string& reference);

/// True for a folder or file, in the working directory too: "docs".
[[nodiscard]] bool is_folder_or_file(const std::string& text);
/// The same for a folder, a file or a reference.
Result<Json> recognised_source(Connection& connection, const std::string& source);

/// The names of the configured resources.
Result<std::vector<std::string>> resource_names(Connection& connection);

/// The references of what -r was given: a text that names a resource stays, and one that names a
/// folder or file of the working directory alone becomes its absolute path.
Result<std::vector<std::string>> resource_references(Connection& connection,
                                                     const std::vector<std::string>& texts);

/// A thread id that is unique for this user and short enough to type.
std::string fresh_thread();
/// The id of the most recent conversation.
Result<std::string> last_thread(Connection& connection);

/// -r, which a verb may have several times. `help` begins with its verb: "Ask over this resource".
Option resource_option(std::vector<std::string>& resources, const std::string& help);

}  // namespace quarry::cli
