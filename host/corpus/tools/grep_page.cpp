#include "corpus/query/grep.h"
#include "corpus/query/line_headings.h"
#include "corpus/text/display.h"
#include "corpus/tools/page.h"
#include "corpus/tools/page_notes.h"

#include <algorithm>
#include <optional>
#include <span>

namespace quarry::corpus {
namespace {

std::size_t matches_in(std::span<const GrepLine> lines) {
  return static_cast<std::size_t>(std::ranges::count(lines, true, &GrepLine::match));
}

/// The number of lines at the begin of `lines` without a gap.
std::size_t run_length(std::span<const GrepLine> lines) {
  std::size_t count = 1;
  while (count < lines.size() && lines[count].number == lines[count - 1].number + 1) ++count;
  return count;
}

/// Adds a run of lines; returns the number of matching lines that were added.
std::size_t add_run(Page& page, const GrepFile& file, const std::string& path,
                    std::span<const GrepLine> run, const std::optional<LineHeadings>& headings) {
  const auto first_match =
      static_cast<std::size_t>(std::ranges::find(run, true, &GrepLine::match) - run.begin());
  HitLines hit{.source = file.source, .path = path, .first = run.front().number, .lines = {}};
  if (headings) hit.heading = headings->of(run[first_match].number);
  for (const GrepLine& line : run) hit.lines.push_back(line.text);
  hit.least = first_match + 1;
  // Cut before a match, so that none loses the lines after it.
  for (std::size_t i = first_match + 1; i < run.size(); ++i) {
    if (run[i].match) hit.cuts.push_back(i);
  }
  hit.cuts.push_back(run.size());
  return matches_in(run.first(page.add(hit)));
}

/// Adds the runs of a file while they fit; returns the number of matching lines that were added.
std::size_t add_file(Page& page, const Retrieval& retrieval, const GrepFile& file) {
  const Collection& collection = retrieval.collection;
  const Snapshot& snapshot = *collection.sources()[file.source].snapshot;
  const std::string path(snapshot.path(file.file));
  // As text a hit is what matches alone.
  std::optional<LineHeadings> headings;
  if (retrieval.form != PageForm::kText) {
    headings.emplace(collection.sources()[file.source], file.file);
  }
  std::size_t added = 0;
  for (std::span<const GrepLine> rest(file.lines); !rest.empty();) {
    const auto run = rest.first(run_length(rest));
    const std::size_t matches = add_run(page, file, path, run, headings);
    added += matches;
    if (matches < matches_in(run)) break;
    rest = rest.subspan(run.size());
  }
  return added;
}

std::size_t matches_in(const GrepFile& file) {
  return matches_in(std::span<const GrepLine>(file.lines));
}

std::string note_of(const Collection& collection, const GrepQuery& query, const GrepResult& result,
                    bool more) {
  std::string note = damage_notice(collection);
  if (more) {
    return "More lines match: repeat the call with cursor, or narrow it with path or include" +
           note + ".";
  }
  if (result.matches > 0 || query.skip > 0) return note;
  note = "No line matches" + note;
  if (!query.include.empty()) note += " in files that fit include";
  note += query.ignore_case ? "." : ". Upper and lower case differ unless ignoreCase.";
  return note + unread_notice(collection, query.path);
}

/// The field that the error of a search is about.
std::string_view field_of(const Error& error) {
  for (const std::string_view field : {"path", "include"}) {
    if (error.message.starts_with(field)) return field;
  }
  return error.code == Code::kNotFound ? "path" : "pattern";
}

}  // namespace

Result<Json> grep_page(const Retrieval& retrieval, const Json& json) {
  const Collection& collection = retrieval.collection;
  const PageArguments arguments("grep", json, retrieval);
  GrepQuery query;
  query.pattern = arguments.text("pattern");
  query.path = arguments.text("path");
  query.include = arguments.text("include");
  query.ignore_case = arguments.flag("ignoreCase");
  query.context = arguments.number("context", 0);
  query.limit = arguments.number("limit", 100);
  const auto position = arguments.position();
  if (!position) return position.error();
  query.skip = *position;

  const auto result = grep(collection, query, retrieval.executor, retrieval.stop);
  if (!result) {
    if (result.error().code == Code::kCancelled) return result.error();
    return error_of_field(field_of(result.error()), result.error());
  }
  if (const Status sound = damage_status(collection); !sound && result->matches == 0) {
    return sound.error();
  }
  Page page(retrieval, arguments.max_tokens());
  std::size_t shown_matches = 0;
  for (const GrepFile& file : result->files) {
    const std::size_t added = add_file(page, retrieval, file);
    shown_matches += added;
    if (added < matches_in(file)) break;
  }
  const bool more = result->truncated || shown_matches < result->matches;
  const auto next = static_cast<std::uint32_t>(query.skip + shown_matches);
  return std::move(page).finish("hits", arguments.cursor(),
                                more ? std::optional(next) : std::nullopt,
                                note_of(collection, query, *result, more));
}

}  // namespace quarry::corpus
