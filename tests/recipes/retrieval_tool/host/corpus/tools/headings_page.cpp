#include "corpus/text/definitions.h"
#include "corpus/text/headings.h"
#include "corpus/tools/found_file.h"
#include "corpus/tools/page.h"

namespace quarry::corpus {
namespace {

/// The lines of headings in a document, or of definitions in code.
std::vector<std::uint32_t> heading_lines(const Segment& segment, FileId file,
                                         std::string_view path) {
  const Markup markup = markup_of(path);
  HeadingFinder headings(markup);
  std::vector<std::uint32_t> out;
  for (std::uint32_t number = 1; number <= segment.line_count(file); ++number) {
    const std::string_view line = segment.line(file, number);
    const bool found = markup == Markup::kCode
                           ? !find_definition(line).name.empty()
                           : headings.find(line, segment.line(file, number + 1)).level > 0;
    if (found) out.push_back(number);
  }
  return out;
}

}  // namespace

Result<Json> headings_page(const Retrieval& retrieval, const Json& json) {
  const PageArguments arguments("headings", json, retrieval);
  const auto position = arguments.position();
  if (!position) return position.error();
  const auto found = find_file(retrieval.collection, arguments.text("path"));
  if (!found) return error_of_field("path", found.error());
  if (retrieval.stop.stop_requested()) return Error{Code::kCancelled, "headings was cancelled"};

  const Source& source = retrieval.collection.sources()[found->location.source];
  const auto lines =
      heading_lines(source.snapshot->segment(found->file), found->file.file, found->location.path);
  Page page(retrieval, arguments.max_tokens());
  std::size_t next = *position;
  for (; next < lines.size(); ++next) {
    auto text = lines_of(source, found->file, lines[next], lines[next]);
    if (!text) return std::move(text).error();
    const HitLines hit{.source = found->location.source,
                       .path = found->location.path,
                       .first = lines[next],
                       .lines = std::move(*text)};
    if (page.add(hit) == 0) break;
  }
  const bool more = next < lines.size();
  Json answer =
      std::move(page).finish("hits", arguments.cursor(),
                             more ? std::optional(static_cast<std::uint32_t>(next)) : std::nullopt,
                             lines.empty() ? "The file has no headings." : "");
  answer["total"] = lines.size();
  return answer;
}

}  // namespace quarry::corpus
