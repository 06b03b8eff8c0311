#include "corpus/query/location.h"
#include "corpus/text/display.h"
#include "corpus/tools/found_entries.h"
#include "corpus/tools/tool_arguments.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostEntries = 1000;

std::string file_line(const Segment& segment, FileId file, std::string_view name) {
  const std::string size = shown_size(segment.size(file));
  switch (segment.kind(file)) {
    case FileKind::kText:
      return shown(name) + "  " + counted(segment.line_count(file), "line");
    case FileKind::kBinary:
      return shown(name) + "  binary, " + size;
    case FileKind::kTooLarge:
      return shown(name) + "  too large to read, " + size;
    case FileKind::kUnreadable:
      return shown(name) + "  could not be read";
    case FileKind::kLink:
      return shown(name) + "  symbolic link";
    case FileKind::kSecret:
      return shown(name) + "  left out, it holds a private key";
  }
  return shown(name);
}

std::string line_of(const Snapshot& snapshot, const DirectoryEntry& entry) {
  if (!entry.file) return shown(entry.name) + "/  " + counted(entry.files, "file");
  return file_line(snapshot.segment(*entry.file), entry.file->file, entry.name);
}

/// One line for each file and subdirectory of `directory`.
std::vector<std::string> entry_lines(const Snapshot& snapshot, std::string_view directory) {
  std::vector<std::string> lines;
  for (const DirectoryEntry& entry : entries_of(snapshot, directory)) {
    lines.push_back(line_of(snapshot, entry));
  }
  return lines;
}

std::vector<std::string> source_lines(const Collection& collection) {
  std::vector<std::string> lines;
  for (const Source& source : collection.sources()) {
    lines.push_back(source.name + "/  " + counted(source.snapshot->files().size(), "file"));
  }
  return lines;
}

}  // namespace

Result<ToolResult> run_list(const Collection& collection, const Json& json, std::stop_token stop) {
  ToolArguments arguments(json, {"path"});
  const std::string path = arguments.text("path");
  if (auto error = arguments.error()) return std::move(*error);
  const auto place = find_directory(collection, path);
  if (!place) return place.error();
  if (stop.stop_requested()) return Error{Code::kCancelled, "list was cancelled"};

  std::string name = "/";
  std::vector<std::string> lines;
  if (*place) {
    const Source& source = collection.sources()[(*place)->source];
    name = shown(source, (*place)->path) + '/';
    lines = entry_lines(*source.snapshot, (*place)->path);
  } else {
    lines = source_lines(collection);
  }
  ToolOutput output;
  std::size_t count = 0;
  while (count < lines.size() && count < kMostEntries && output.add(lines[count])) ++count;
  const bool truncated = count < lines.size();
  std::string notice = std::to_string(lines.size()) + " in " + name;
  if (truncated)
    notice += "; the last " + std::to_string(lines.size() - count) + " are not shown, use glob";
  const Json facts = {{"entries", lines.size()}, {"truncated", truncated}};
  return ToolResult{std::move(output).finish(notice), "list " + name, facts.dump()};
}

}  // namespace quarry::corpus
