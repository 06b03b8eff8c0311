#pragma once

#include "base/json.h"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace quarry::cli {

/// A conversation, a result of threads.show, as Markdown: each turn with its numbered sources,
/// date, model, cost, and versions of resources. Citations in an answer become the numbers of
/// sources.
[[nodiscard]] std::string thread_markdown(const Json& thread);

/// The sources of a stored turn, one a line: "[1] docs/dates.md:3 (05b77a29)". Empty if none.
[[nodiscard]] std::string sources_text(const Json& turn);

/// How a stored turn ended, unless with a whole answer: "\n(incomplete: length)\n".
[[nodiscard]] std::string ending_text(const Json& turn);

}  // namespace quarry::cli
