#include "base/utf8.h"
#include "corpus/query/location.h"
#include "corpus/text/display.h"
#include "corpus/tools/found_file.h"
#include "corpus/tools/tool_arguments.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <cstdio>
#include <limits>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kMostReadLines = 2000;
constexpr std::size_t kMostLineCharacters = 2000;

std::string numbered_line(std::uint32_t number, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  char prefix[16];
  std::snprintf(prefix, sizeof prefix, "%6u\t", number);
  const std::string_view start = first_characters(line, kMostLineCharacters);
  std::string out = prefix + std::string(start);
  if (start.size() < line.size()) {
    out += "… (cut; the line has " + std::to_string(utf8_length(line)) + " characters)";
  }
  return out;
}

struct LineRange {
  std::uint32_t first;
  std::uint32_t last;  ///< first - 1 if nothing was read
};

/// Adds as many of the lines `range`, with the text `rest`, as fit, and returns their range.
LineRange read_lines(std::string_view rest, LineRange range, ToolOutput& output) {
  for (std::uint32_t number = range.first; number <= range.last; ++number) {
    const std::size_t end = rest.find('\n');
    if (!output.add(numbered_line(number, rest.substr(0, end)))) return {range.first, number - 1};
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return range;
}

std::string notice(LineRange read, std::uint32_t lines) {
  if (read.last == lines) return "End of the file, line " + std::to_string(lines) + ".";
  return "Lines " + std::to_string(read.first) + "-" + std::to_string(read.last) + " of " +
         std::to_string(lines) + ". Go on with offset=" + std::to_string(read.last + 1) + ".";
}

}  // namespace

Result<ToolResult> run_read(const Collection& collection, const Json& json, std::stop_token stop) {
  ToolArguments arguments(json, {"path", "offset", "limit"});
  const std::string path = arguments.required_text("path");
  const auto offset =
      arguments.number("offset", 1, 1, std::numeric_limits<std::uint32_t>::max() - kMostReadLines);
  const auto limit = arguments.number("limit", kMostReadLines, 1, kMostReadLines);
  if (auto error = arguments.error()) return std::move(*error);
  const auto found = find_file(collection, path);
  if (!found) return found.error();
  if (stop.stop_requested()) return Error{Code::kCancelled, "read was cancelled"};

  const auto& [location, ref] = *found;
  const Source& source = collection.sources()[location.source];
  const Segment& segment = source.snapshot->segment(ref);
  const std::string name = shown(source, location.path);
  const std::uint32_t lines = segment.line_count(ref.file);
  Json facts = {{"path", name}, {"lines", lines}};
  ToolOutput output;
  if (lines == 0) {
    std::string text = std::move(output).finish(why_no_lines(segment, ref.file, name));
    return ToolResult{std::move(text), "read " + name, facts.dump()};
  }
  if (offset > lines) {
    return Error{Code::kInvalidArgument, "offset: " + name + " has only " + counted(lines, "line")};
  }
  if (Status sound = segment.check(ref.file); !sound) {
    return std::move(sound).error().in(source.name);
  }
  const LineRange wanted{offset, std::min(lines, offset + limit - 1)};
  const std::string_view text = segment.lines(ref.file, wanted.first, wanted.last);
  const LineRange read = read_lines(text, wanted, output);
  // Verified after copying, so that the shown lines are undamaged.
  if (Status sound = segment.recheck(ref.file, wanted.first, wanted.last); !sound) {
    return std::move(sound).error().in(source.name);
  }
  facts["start"] = read.first;
  facts["end"] = read.last;
  facts["truncated"] = read.last < lines;
  const std::string title =
      "read " + name + ", lines " + std::to_string(read.first) + "-" + std::to_string(read.last);
  return ToolResult{std::move(output).finish(notice(read, lines)), title, facts.dump()};
}

}  // namespace quarry::corpus
