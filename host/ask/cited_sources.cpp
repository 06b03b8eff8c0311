#include "ask/cited_sources.h"

#include "base/json_writer.h"
#include "base/utf8.h"

#include <algorithm>
#include <utility>

namespace quarry::ask {
namespace {

constexpr std::uint32_t kContextLines = 30;
constexpr std::uint32_t kMostLines = 400;
constexpr std::size_t kMostBytes = 64u << 10;     // of one citation
constexpr std::size_t kMostAllBytes = 1u << 20;   // of all citations of an answer
constexpr std::size_t kMostLineBytes = 4u << 10;  // of one line

std::string shown_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return to_utf8(utf8_prefix(line, kMostLineBytes));
}

/// Adds the lines of a verified citation; none if they have been damaged since it was checked.
void add_lines(const corpus::Collection& collection, const corpus::Citation& citation,
               std::size_t space, CitedSource& out) {
  if (citation.start_line == 0 || citation.source >= collection.sources().size()) return;
  const auto& snapshot = collection.sources()[citation.source].snapshot;
  const auto file = snapshot ? snapshot->find(citation.path) : std::nullopt;
  if (!file) return;
  const corpus::Segment& segment = snapshot->segment(*file);
  const std::uint32_t first =
      citation.start_line - std::min(citation.start_line - 1, kContextLines);
  const std::uint32_t end = std::min(
      {segment.line_count(file->file), citation.end_line + kContextLines, first + kMostLines - 1});
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  for (std::uint32_t number = first; number <= end; ++number) {
    lines.push_back(shown_line(segment.line(file->file, number)));
    bytes += lines.back().size();
    if (bytes > space) break;
  }
  if (!segment.recheck(file->file, first, end)) return;
  out.first_line = first;
  out.lines = std::move(lines);
}

std::size_t bytes_of(const CitedSource& source) {
  std::size_t bytes = sizeof source + source.citation.size();
  for (const std::string& line : source.lines) bytes += sizeof(std::string) + line.size();
  return bytes;
}

}  // namespace

std::string source_json(const CitedSource& source) {
  return json_object([&](JsonWriter& json) {
    json.raw_members(source.citation);
    json.member("firstLine", source.first_line).member("lines", source.lines);
  });
}

std::vector<CitedSource> cited_sources(const corpus::Collection& collection,
                                       const std::vector<corpus::Citation>& citations,
                                       std::vector<std::string> items) {
  std::vector<CitedSource> sources;
  std::size_t used = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    CitedSource& source = sources.emplace_back(CitedSource{std::move(items[i])});
    if (!citations[i].verified || used >= kMostAllBytes) continue;
    add_lines(collection, citations[i], std::min(kMostBytes, kMostAllBytes - used), source);
    used += bytes_of(source);
  }
  return sources;
}

void CitedSources::set(std::vector<CitedSource> sources) {
  const std::lock_guard lock(mutex_);
  sources_ = std::move(sources);
}

std::optional<CitedSource> CitedSources::find(std::size_t number) const {
  const std::lock_guard lock(mutex_);
  if (!sources_ || number == 0 || number > sources_->size()) return std::nullopt;
  return (*sources_)[number - 1];
}

std::string CitedSources::json() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  if (!sources_) return out;
  JsonWriter json(out);
  json.array([&] {
    for (const CitedSource& source : *sources_) json.raw(source_json(source));
  });
  return out;
}

std::optional<std::size_t> CitedSources::size() const {
  const std::lock_guard lock(mutex_);
  return sources_ ? std::optional(sources_->size()) : std::nullopt;
}

std::size_t CitedSources::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  if (!sources_) return 0;
  for (const CitedSource& source : *sources_) bytes += bytes_of(source);
  return bytes;
}

}  // namespace quarry::ask
