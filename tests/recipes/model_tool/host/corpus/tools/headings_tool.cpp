#include "corpus/query/location.h"
#include "corpus/text/definitions.h"
#include "corpus/text/display.h"
#include "corpus/text/headings.h"
#include "corpus/tools/tool_arguments.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

/// The headings of a document or the definitions of code, each with its line number.
std::vector<std::string> headings_of(const Segment& segment, FileId file, std::string_view path) {
  const Markup markup = markup_of(path);
  HeadingFinder headings(markup);
  std::vector<std::string> out;
  for (std::uint32_t number = 1; number <= segment.line_count(file); ++number) {
    const std::string_view line = segment.line(file, number);
    const bool found = markup == Markup::kCode
                           ? !find_definition(line).name.empty()
                           : headings.find(line, segment.line(file, number + 1)).level > 0;
    if (found) out.push_back(std::to_string(number) + "\t" + std::string(line));
  }
  return out;
}

}  // namespace

Result<ToolResult> run_headings(const Collection& collection, const Json& json,
                                std::stop_token stop) {
  ToolArguments arguments(json, {"path"});
  const std::string path = arguments.required_text("path");
  if (auto error = arguments.error()) return std::move(*error);
  const auto place = collection.resolve(path);
  if (!place) return place.error();
  if (!*place || is_directory(collection, **place)) {
    return Error{Code::kInvalidArgument, "path: \"" + shown(path) + "\" is a directory",
                 "Use list to see a directory."};
  }
  const Source& source = collection.sources()[(*place)->source];
  const auto file = source.snapshot->find((*place)->path);
  if (!file) return no_such_path(collection, **place);
  if (stop.stop_requested()) return Error{Code::kCancelled, "headings was cancelled"};

  const Segment& segment = source.snapshot->segment(*file);
  if (Status sound = segment.check(file->file); !sound) {
    return std::move(sound).error().in(source.name);
  }
  const std::string name = shown(source, (*place)->path);
  const std::vector<std::string> lines = headings_of(segment, file->file, (*place)->path);
  ToolOutput output;
  std::size_t count = 0;
  while (count < lines.size() && output.add(lines[count])) ++count;
  const Json facts = {{"entries", lines.size()}, {"truncated", count < lines.size()}};
  return ToolResult{
      std::move(output).finish(std::to_string(count) + " of " + counted(lines.size(), "line")),
      "headings " + name, facts.dump()};
}

}  // namespace quarry::corpus
