#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "base/json.h"
#include "corpus/query/collection.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

class SymbolAnalyser;

/// The result of a tool: text for the model, a short title and facts for clients.
struct ToolResult {
  std::string output;    ///< UTF-8, at most 50 KiB
  std::string title;     ///< such as "grep \"Result<\" in host: 14 matches"
  std::string metadata;  ///< a JSON object such as {"matches":14,"truncated":false}
};

/// The definition of a tool for a model.
struct ToolDescription {
  std::string_view name;
  std::string_view description;
  std::string_view parameters;  ///< JSON Schema of the arguments, one object
};

/// `list`, `glob`, `grep`, `read`, `search`, in this order; then, if source code is analysed,
/// `symbols`, `outline`. [any thread]
std::span<const ToolDescription> tools(bool with_symbols);

/// Runs one tool. Arguments are coerced to its schema (Schema::coerce) and checked; every error
/// message tells the model how to correct it: kInvalidArgument (unknown tool, bad argument, bad
/// pattern; names the field), kNotFound (no such file, with similar names), kCancelled when `stop`
/// was requested, kUnavailable for `symbols` and `outline` without an analyser. Blocks; meant for a
/// worker.
Result<ToolResult> run_tool(const Collection& collection, std::string_view tool, const Json& given,
                            Executor& executor, std::stop_token stop,
                            SymbolAnalyser* symbols = nullptr);

// The typed tools behind run_tool, each in a file of its own.
Result<ToolResult> run_list(const Collection&, const Json& arguments, std::stop_token);
Result<ToolResult> run_glob(const Collection&, const Json& arguments, std::stop_token);
Result<ToolResult> run_grep(const Collection&, const Json& arguments, Executor&, std::stop_token);
Result<ToolResult> run_read(const Collection&, const Json& arguments, std::stop_token);
Result<ToolResult> run_search(const Collection&, const Json& arguments, Executor&, std::stop_token);
Result<ToolResult> run_symbols(const Collection&, const Json& arguments, SymbolAnalyser&, Executor&,
                               std::stop_token);
Result<ToolResult> run_outline(const Collection&, const Json& arguments, SymbolAnalyser&,
                               std::stop_token);

}  // namespace quarry::corpus
