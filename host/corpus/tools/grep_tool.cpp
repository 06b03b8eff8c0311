#include "base/utf8.h"
#include "corpus/query/grep.h"
#include "corpus/text/display.h"
#include "corpus/tools/tool_arguments.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr std::size_t kTitlePattern = 60;  // bytes

/// Adds files until the output is full; counts the matches that were added.
struct Shown {
  ToolOutput output;
  std::uint32_t matches = 0;

  bool add(const GrepFile& file) {
    if (!output.empty() && !output.add("")) return false;
    if (!output.add(shown(file.path))) return false;
    std::uint32_t before = 0;
    for (const GrepLine& line : file.lines) {
      if (before != 0 && line.number != before + 1 && has_context && !output.add("--"))
        return false;
      const std::string text = std::to_string(line.number) + (line.match ? ": " : "- ") + line.text;
      if (!output.add(text)) return false;
      before = line.number;
      matches += line.match ? 1 : 0;
    }
    return true;
  }
  bool has_context = false;
};

std::string notice(const GrepQuery& query, const GrepResult& result, std::uint32_t shown_matches) {
  if (result.matches == 0) {
    std::string text = "No line matches \"" + shown(query.pattern) + "\"";
    if (!query.include.empty()) text += " in files that fit \"" + shown(query.include) + "\"";
    return text + (query.ignore_case ? "." : ". Upper and lower case differ unless ignore_case.");
  }
  if (shown_matches == result.matches && !result.truncated) {
    return counted(result.matches, "matching line") + " in " + counted(result.files.size(), "file");
  }
  return "Only the first " + counted(shown_matches, "matching line") +
         " are shown and there are more; narrow with path or include, or use a longer pattern";
}

std::string title(const GrepQuery& query, const GrepResult& result) {
  std::string text =
      "grep \"" + std::string(utf8_prefix(shown(query.pattern), kTitlePattern)) + '"';
  if (!query.path.empty()) text += " in " + shown(query.path);
  text += ": " + std::to_string(result.matches) + (result.truncated ? "+" : "");
  return text + (result.matches == 1 ? " match" : " matches");
}

}  // namespace

Result<ToolResult> run_grep(const Collection& collection, const Json& json, Executor& executor,
                            std::stop_token stop) {
  ToolArguments arguments(json, {"pattern", "path", "include", "ignore_case", "context", "limit"});
  GrepQuery query;
  query.pattern = arguments.required_text("pattern");
  query.path = arguments.text("path");
  query.include = arguments.text("include");
  query.ignore_case = arguments.flag("ignore_case");
  query.context = arguments.number("context", 0, 0, 10);
  query.limit = arguments.number("limit", 100, 1, 1000);
  if (auto error = arguments.error()) return std::move(*error);
  const auto result = grep(collection, query, executor, std::move(stop));
  if (!result) return result.error();
  if (const Status sound = damage_status(collection); !sound && result->matches == 0) {
    return sound.error();
  }

  Shown text;
  text.has_context = query.context > 0;
  for (const GrepFile& file : result->files) {
    if (!text.add(file)) break;
  }
  const bool truncated = result->truncated || text.matches < result->matches;
  const Json facts = {
      {"matches", result->matches}, {"files", result->files.size()}, {"truncated", truncated}};
  return ToolResult{
      std::move(text.output)
          .finish(notice(query, *result, text.matches) + damage_notice(collection) +
                  (result->matches == 0 ? unread_notice(collection, query.path) : "")),
      title(query, *result), facts.dump()};
}

}  // namespace quarry::corpus
