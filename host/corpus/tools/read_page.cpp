#include "corpus/text/display.h"
#include "corpus/tools/found_file.h"
#include "corpus/tools/page.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kMostLines = 4'000'000'000;

/// The greatest number of lines that the largest page may have: each takes at least two bytes.
constexpr std::uint32_t kMostPageLines = kMostTokens * kBytesPerToken / 2;

/// The lines behind `path`, "docs:a.md#L3-L9"; nullopt if the name of a file ends so.
std::optional<LineRange> lines_behind_file(const Collection& collection, std::string_view path) {
  const auto behind = lines_behind(path);
  if (!behind) return std::nullopt;
  const auto location = collection.resolve(path);
  const bool is_name = location && *location && path.ends_with((*location)->path);
  return is_name ? std::nullopt : behind;
}

Error beyond(std::uint32_t lines) {
  return error_of_field(
      "startLine", Error{Code::kInvalidArgument, "the file has only " + counted(lines, "line")});
}

}  // namespace

Result<Json> read_page(const Retrieval& retrieval, const Json& json) {
  const Collection& collection = retrieval.collection;
  const PageArguments arguments("read", json, retrieval);
  const std::string path = arguments.text("path");
  const bool has_lines = json.contains("startLine") || json.contains("endLine");
  const auto behind = has_lines ? std::nullopt : lines_behind_file(collection, path);
  const std::uint32_t start = arguments.number("startLine", behind ? behind->first : 1);
  const std::uint32_t end = arguments.number("endLine", behind ? behind->last : kMostLines);
  const auto position = arguments.position();
  if (!position) return position.error();
  if (end < start) {
    return error_of_field("endLine",
                          Error{Code::kInvalidArgument, "must not be less than startLine"});
  }
  const auto found = find_file(collection, path);
  if (!found) return error_of_field("path", found.error());
  if (retrieval.stop.stop_requested()) return Error{Code::kCancelled, "read was cancelled"};

  const Source& source = collection.sources()[found->location.source];
  const Segment& segment = source.snapshot->segment(found->file);
  const std::uint32_t lines = segment.line_count(found->file.file);
  Page page(retrieval, arguments.max_tokens());
  if (lines == 0) {
    Json answer = std::move(page).finish(
        "hits", arguments.cursor(), std::nullopt,
        why_no_lines(segment, found->file.file, shown(source, found->location.path)));
    answer["total"] = 0;
    return answer;
  }
  const std::uint32_t first = std::max(start, *position);
  if (first > lines) return beyond(lines);
  if (Status sound = segment.check(found->file.file); !sound) {
    return std::move(sound).error().in(source.name);
  }
  const std::uint32_t wanted = std::min(end, lines);
  if (first > wanted) {
    return error_of_field("cursor", Error{Code::kInvalidArgument, "is of a line after endLine"});
  }
  const std::uint32_t most = std::min(arguments.number("limit", kMostPageLines), kMostPageLines);
  const std::uint32_t last = std::min(wanted, first + most - 1);
  auto text = lines_of(source, found->file, first, last);
  if (!text) return std::move(text).error();
  const auto next = first + static_cast<std::uint32_t>(page.add({.source = found->location.source,
                                                                 .path = found->location.path,
                                                                 .first = first,
                                                                 .lines = std::move(*text)}));
  const bool more = next <= wanted;
  std::string note;
  if (more) {
    note = "Lines " + std::to_string(next) + "-" + std::to_string(wanted) +
           " are left out: repeat the call with cursor, or with this startLine.";
  }
  Json answer = std::move(page).finish("hits", arguments.cursor(),
                                       more ? std::optional(next) : std::nullopt, note);
  answer["total"] = lines;
  return answer;
}

}  // namespace quarry::corpus
