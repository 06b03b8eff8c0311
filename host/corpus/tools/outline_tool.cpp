#include "corpus/query/location.h"
#include "corpus/query/outline.h"
#include "corpus/text/display.h"
#include "corpus/tools/found_file.h"
#include "corpus/tools/symbol_text.h"
#include "corpus/tools/tool_arguments.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <nlohmann/json.hpp>

namespace quarry::corpus {

Result<ToolResult> run_outline(const Collection& collection, const Json& json,
                               SymbolAnalyser& analyser, std::stop_token stop) {
  ToolArguments arguments(json, {"path", "kind"});
  const std::string path = arguments.required_text("path");
  const std::string kind = arguments.text("kind");
  if (auto error = arguments.error()) return std::move(*error);
  const auto found = find_file(collection, path);
  if (!found) return found.error();
  if (stop.stop_requested()) return Error{Code::kCancelled, "outline was cancelled"};

  const Source& source = collection.sources()[found->location.source];
  const auto definitions = outline_of(source, found->file, analyser, stop);
  if (!definitions) return definitions.error();
  const auto entries = entries_of(*definitions, kind);
  ToolOutput output;
  std::size_t count = 0;
  for (; count < entries.size(); ++count) {
    const OutlineEntry& entry = entries[count];
    const std::string lines = std::to_string(entry.line) + '-' + std::to_string(entry.last_line);
    if (!output.add(lines + '\t' + std::string(2 * entry.depth, ' ') + entry.heading)) break;
  }
  const bool truncated = count < entries.size();
  std::string notice = counted(entries.size(), "definition");
  if (truncated) notice += ", of which " + std::to_string(count) + " are shown; narrow with kind";
  const Json facts = {{"definitions", entries.size()}, {"truncated", truncated}};
  return ToolResult{std::move(output).finish(notice + '.'),
                    "outline " + shown(source, found->location.path), facts.dump()};
}

}  // namespace quarry::corpus
