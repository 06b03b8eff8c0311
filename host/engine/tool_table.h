#pragma once

#include "corpus/tools/retrieval.h"
#include "engine/params.h"

#include <span>
#include <string_view>

namespace quarry::engine {

/// A retrieval tool: one row makes its engine method, its route, its MCP tool and its entry in the
/// list of tools. Texts are of static duration.
struct ToolRow {
  std::string_view name;         ///< on every surface: "search"
  std::string_view method;       ///< of the engine: "tools.search"
  std::string_view title;        ///< for a person
  std::string_view description;  ///< for a model
  ParamsRule params;             ///< with "resources"
  std::string_view result;       ///< JSON Schema of the value
  corpus::Retrieve run;          ///< null for `sync`, which reads no file
  bool uses_indexes = false;     ///< reads many files, so that it is limited to a share of workers
  bool uses_symbols = false;     ///< asks for the symbol indexes of what it reads
  std::string_view other_name = {};  ///< by which models call it too
};

/// `search`, `grep`, `symbols`, `list`, `read`, `sync`, in this order. [any]
std::span<const ToolRow> tool_rows();

/// `arguments` as the schema of the tool asks for them (Schema::coerce). RequestError with every
/// mistake in the details; a member that the schema does not have is one. [any]
Result<Json> checked_arguments(const ToolRow& row, Json arguments);

/// The right that tokens need for all of them.
inline constexpr std::string_view kReadRight = "read";

}  // namespace quarry::engine
