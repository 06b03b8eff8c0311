#include "corpus/query/citations.h"

#include "base/relative_path.h"
#include "base/text.h"
#include "corpus/query/citation_text.h"
#include "corpus/query/location.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace quarry::corpus {
namespace {

std::optional<std::size_t> source_named(const Collection& collection, std::string_view name) {
  const auto& sources = collection.sources();
  const auto exact = std::ranges::find(sources, name, &Source::name);
  if (exact != sources.end()) return static_cast<std::size_t>(exact - sources.begin());
  const auto same = [&](const Source& source) { return to_lower(source.name) == to_lower(name); };
  const auto loose = std::ranges::find_if(sources, same);
  if (loose == sources.end()) return std::nullopt;
  return static_cast<std::size_t>(loose - sources.begin());
}

/// The normalised path; without leading '/' only if it would leave its root.
std::string normal_path(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  auto normalised = normalise_relative_path(path);
  return normalised ? *normalised : std::string(path);
}

/// The file of a path as tools show it. Characters that a citation cannot contain, such as an
/// unpaired bracket, may be percent-encoded; a file with the encoded name takes precedence.
std::optional<FileRef> find_written(const Snapshot& snapshot, const std::string& path) {
  if (const auto file = find_as_shown(snapshot, path)) return file;
  const std::string decoded = percent_decoded(path);
  return decoded == path ? std::nullopt : find_as_shown(snapshot, decoded);
}

/// The text of lines `first` to `last`, which must exist; nullopt if damaged. The blocks are
/// compared with their digests again after copying, because the file may have been damaged since
/// the first comparison.
std::optional<std::string> sound_lines(const Segment& segment, FileId file, std::uint32_t first,
                                       std::uint32_t last) {
  if (!segment.check(file)) return std::nullopt;
  std::string copy(segment.lines(file, first, last));
  if (!segment.recheck(file, first, last)) return std::nullopt;
  return copy;
}

/// Completes a citation from the collection. True if it is valid, quotations aside.
bool look_up(const Collection& collection, const WrittenPlace& place, Citation& citation,
             std::string& text) {
  const auto source = source_named(collection, place.resource);
  if (!source) return false;
  citation.source = *source;
  citation.resource = collection.sources()[*source].name;
  const Snapshot& snapshot = *collection.sources()[*source].snapshot;
  const auto file = find_written(snapshot, citation.path);
  if (!file) return false;
  citation.path = snapshot.path(*file);
  const Segment& segment = snapshot.segment(*file);
  const std::uint32_t lines = segment.line_count(file->file);
  if (!place.start_line) {
    citation.start_line = lines == 0 ? 0 : 1;
    citation.end_line = lines;
    if (lines == 0) return true;
  }
  if (citation.start_line > citation.end_line || citation.end_line > lines) return false;
  auto sound = sound_lines(segment, file->file, citation.start_line, citation.end_line);
  if (!sound) return false;
  text = std::move(*sound);
  return true;
}

bool contains_any_quotation(std::string_view text, const WrittenCitation& written,
                            const std::vector<std::string>& quotations) {
  return written.quotations.empty() ||
         std::ranges::any_of(written.quotations, [&](std::size_t quotation) {
           return is_quoted_from(quotations[quotation], text);
         });
}

}  // namespace

std::vector<Citation> check_citations(const Collection& collection, std::string_view answer) {
  const WrittenCitations written = find_citations(answer);
  std::vector<Citation> citations;
  std::set<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>> seen;
  for (const WrittenCitation& one : written.list) {
    for (const WrittenPlace& place : one.places) {
      Citation citation{place.resource,
                        normal_path(place.path),
                        place.start_line.value_or(0),
                        place.end_line.value_or(0),
                        0,
                        false};
      std::string text;
      const bool holds = look_up(collection, place, citation, text);
      // Without lines, a name that is not a resource is prose in brackets.
      if (!place.start_line && !source_named(collection, place.resource)) continue;
      if (!seen.emplace(citation.resource, citation.path, citation.start_line, citation.end_line)
               .second) {
        continue;
      }
      citation.verified = holds && contains_any_quotation(text, one, written.quotations);
      citations.push_back(std::move(citation));
    }
  }
  return citations;
}

}  // namespace quarry::corpus
