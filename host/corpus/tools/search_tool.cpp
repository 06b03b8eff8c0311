#include "base/utf8.h"
#include "corpus/query/location.h"
#include "corpus/query/search.h"
#include "corpus/text/display.h"
#include "corpus/tools/tool_arguments.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostLineBytes = 600;
constexpr std::size_t kMinShare = 600;        // bytes of output for each passage
constexpr std::size_t kReservedBytes = 1024;  // for the notice

std::string passage_line(std::uint32_t number, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  char prefix[16];
  std::snprintf(prefix, sizeof prefix, "%6u\t", number);
  const std::string_view start = utf8_prefix(line, kMostLineBytes);
  return prefix + std::string(start) + (start.size() < line.size() ? "… (cut)\n" : "\n");
}

/// At most about `space` bytes of a passage: whole lines, and a note on reading the rest.
std::string lines_of(const Segment& segment, FileId file, const Passage& passage,
                     std::size_t space) {
  std::string out;
  for (std::uint32_t n = passage.start_line; n <= passage.end_line; ++n) {
    const std::string line = passage_line(n, segment.line(file, n));
    if (n > passage.start_line && out.size() + line.size() > space) {
      return out + "        … (goes on; read it with offset=" + std::to_string(n) + ")\n";
    }
    out += line;
  }
  return out;
}

/// A passage of at most about `share` bytes.
std::string shown_passage(const Collection& collection, const Passage& passage, std::size_t share) {
  const Result<std::optional<Location>> where = collection.resolve(passage.path);
  if (!where || !*where) return {};
  const Source& source = collection.sources()[(*where)->source];
  const std::optional<FileRef> file = source.snapshot->find((*where)->path);
  if (!file) return {};
  const Segment& segment = source.snapshot->segment(*file);

  std::string out = shown(source, (*where)->path) + ":" + std::to_string(passage.start_line) + "-" +
                    std::to_string(passage.end_line);
  if (!passage.heading.empty()) out += "  " + to_utf8(passage.heading);
  out += "\n";
  const std::string lines =
      lines_of(segment, file->file, passage, share - std::min(share, out.size()));
  // Verified after copying, so that the shown lines are undamaged.
  const Status sound = segment.recheck(file->file, passage.start_line, passage.end_line);
  return out + (sound ? lines : sound.error().message + '\n');
}

/// Adds as many passages as fit, each with an equal share of the remaining space; returns their
/// number.
std::size_t show_passages(const Collection& collection, std::span<const Passage> passages,
                          ToolOutput& output) {
  std::size_t space = kMostOutputBytes - kReservedBytes;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const std::size_t share = std::max(space / (passages.size() - i), kMinShare);
    const std::string text = shown_passage(collection, passages[i], share);
    if (text.size() >= space || !output.add(text)) return i;
    space -= text.size() + 1;
  }
  return passages.size();
}

std::string notice(std::size_t shown, std::size_t found, const SearchQuery& query) {
  if (found == 0) {
    return "Nothing stands near these words" +
           (query.path.empty() ? std::string(".") : " in " + to_utf8(query.path) + ".") +
           " Try other words, or grep for an exact text.";
  }
  const std::string count = counted(shown, "passage");
  return shown == found ? count + ", best first." : count + "; no space for more.";
}

}  // namespace

Result<ToolResult> run_search(const Collection& collection, const Json& json, Executor& executor,
                              std::stop_token stop) {
  ToolArguments arguments(json, {"query", "path", "limit"});
  SearchQuery query;
  query.words = arguments.required_text("query");
  query.path = arguments.text("path");
  query.limit = arguments.number("limit", 10, 1, 50);
  if (const auto error = arguments.error()) return *error;

  std::string meaning;
  const Result<std::vector<Passage>> found =
      search(collection, query, executor, std::move(stop), &meaning);
  if (!found) return found.error();
  if (const Status sound = damage_status(collection); !sound && found->empty()) {
    return sound.error();
  }
  ToolOutput output;
  const std::size_t shown = show_passages(collection, *found, output);
  Json places = Json::array();
  for (const Passage& passage : std::span(*found).first(shown)) {
    places.push_back({{"path", to_utf8(passage.path)},
                      {"start", passage.start_line},
                      {"end", passage.end_line}});
  }
  const Json metadata = {{"passages", std::move(places)}, {"truncated", shown < found->size()}};
  const std::string words(utf8_prefix(to_utf8(query.words), 80));
  if (!meaning.empty()) meaning.insert(0, 1, ' ');
  if (found->empty()) meaning += unread_notice(collection, query.path);
  return ToolResult{.output = std::move(output).finish(notice(shown, found->size(), query) +
                                                       damage_notice(collection) + meaning),
                    .title = "search \"" + words + "\": " + counted(shown, "passage"),
                    .metadata = to_text(metadata)};
}

}  // namespace quarry::corpus
