#pragma once

#include "model-extractive/conversation.h"
#include "model-extractive/lines.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::extractive {

/// Lines in the output of `search`, `symbols` or `read` that belong together, of which the first
/// has the path: "-- heading", "name/path:12-40: text", "13: text".
struct Found {
  std::string path;  ///< "name/path"
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::string heading;              ///< unless the lines name it
  std::vector<NumberedLine> lines;  ///< the first ones, which may be cut
};

/// The passages of an output, best first.
[[nodiscard]] std::vector<Found> passages_in(std::string_view output);

/// The names in the listing of the root: "name/ 12 files".
[[nodiscard]] std::vector<std::string> names_in_listing(std::string_view listing);

/// True if the listing of the root has resources and all of them are without files.
[[nodiscard]] bool is_empty_listing(std::string_view listing);

/// The text argument `name` of a call, or "".
[[nodiscard]] std::string argument(const ToolOutcome& outcome, const char* name);

}  // namespace quarry::extractive
