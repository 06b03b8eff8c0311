#include "corpus/query/location.h"
#include "corpus/text/display.h"
#include "corpus/text/glob.h"
#include "corpus/tools/found_entries.h"
#include "corpus/tools/tool_arguments.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

/// Collects matching paths up to a limit and counts the rest.
struct GlobMatches {
  std::uint32_t limit;
  std::uint32_t count = 0;
  std::uint32_t shown_count = 0;
  ToolOutput output;

  void add(const Source& source, std::string_view path) {
    const bool first_ones = count == shown_count && shown_count < limit;
    ++count;
    if (first_ones && output.add(shown(source, path))) ++shown_count;
  }
};

std::string notice(const GlobMatches& matches, std::string_view pattern) {
  if (matches.count == 0) {
    return "No file fits " + std::string(pattern) +
           ". * stays within one name; use **/ to look in every directory.";
  }
  std::string text = counted(matches.count, "file");
  if (matches.shown_count < matches.count) {
    text += "; only the first " + std::to_string(matches.shown_count) +
            " are shown, narrow the pattern or give a path";
  }
  return text;
}

}  // namespace

Result<ToolResult> run_glob(const Collection& collection, const Json& json, std::stop_token stop) {
  ToolArguments arguments(json, {"pattern", "path", "limit"});
  const std::string pattern = arguments.required_text("pattern");
  const std::string path = arguments.text("path");
  GlobMatches matches{arguments.number("limit", 200, 1, 1000), 0, 0, {}};
  if (auto error = arguments.error()) return std::move(*error);
  const auto glob = Glob::compile(pattern);
  if (!glob) return Error(glob.error()).in("pattern");
  const auto place = find_directory(collection, path);
  if (!place) return place.error();

  each_match(collection, *place, *glob, stop, [&](std::size_t source, FileRef file) {
    const Source& found = collection.sources()[source];
    matches.add(found, found.snapshot->path(file));
  });
  if (stop.stop_requested()) return Error{Code::kCancelled, "glob was cancelled"};
  const bool truncated = matches.shown_count < matches.count;
  const Json facts = {{"files", matches.count}, {"truncated", truncated}};
  std::string title = "glob " + shown(pattern) + ": " + counted(matches.count, "file");
  return ToolResult{std::move(matches.output).finish(notice(matches, shown(pattern))),
                    std::move(title), facts.dump()};
}

}  // namespace quarry::corpus
