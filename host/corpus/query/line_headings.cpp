#include "corpus/query/line_headings.h"

#include "base/utf8.h"
#include "corpus/index/symbol_files.h"
#include "corpus/index/symbol_index.h"
#include "corpus/index/word_index.h"
#include "corpus/index/word_table.h"
#include "corpus/query/symbol_part.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

std::optional<std::vector<SymbolDefinition>> indexed_definitions(const Snapshot& snapshot,
                                                                 FileRef file) {
  const auto index = snapshot.symbols(file.segment);
  if (!index || index->state(file.file) != SymbolState::kRead) return std::nullopt;
  auto symbols = index->symbols_of(file.file);
  if (!symbols) return std::nullopt;
  return std::move(symbols->definitions);
}

}  // namespace

LineHeadings::LineHeadings(const Source& source, FileRef file)
    : segment_(source.snapshot->segment(file)),
      file_(file.file),
      definitions_(indexed_definitions(*source.snapshot, file)) {
  if (definitions_) return;
  words_ = source.snapshot->words(file.segment);
  if (words_ || !segment_.check(file_)) return;
  spans_ = cut_passages(segment_.path(file_), segment_.text(file_)).spans;
}

std::string LineHeadings::of(std::uint32_t line) const {
  if (definitions_) return definition_around(line);
  if (!segment_.check(file_)) return {};
  return words_ ? indexed_passage(line) : cut_passage(line);
}

std::string LineHeadings::definition_around(std::uint32_t line) const {
  std::optional<std::size_t> innermost;
  const auto length = [&](std::size_t i) {
    return (*definitions_)[i].last_line - (*definitions_)[i].first_line;
  };
  for (std::size_t i = 0; i < definitions_->size(); ++i) {
    const SymbolDefinition& one = (*definitions_)[i];
    if (line < one.first_line || line > one.last_line) continue;
    if (!innermost || length(i) < length(*innermost)) innermost = i;
  }
  if (!innermost) return {};
  const SymbolDefinition& found = (*definitions_)[*innermost];
  const auto parents = parents_of(*definitions_, *innermost);
  return to_utf8(found.kind + ' ' + qualified_name(parents, found.name));
}

std::string LineHeadings::indexed_passage(std::uint32_t line) const {
  const WordTable& table = words_->table();
  auto [low, high] = table.passages_of(file_);
  if (low == high) return {};
  while (high - low > 1) {
    const PassageId middle = low + (high - low) / 2;
    (table.line(middle) <= line ? low : high) = middle;
  }
  return full_heading_text(segment_.text(file_), table.heading(low), table.context(low));
}

std::string LineHeadings::cut_passage(std::uint32_t line) const {
  const auto after = std::ranges::upper_bound(spans_, line, {}, &PassageSpan::line);
  if (after == spans_.begin()) return {};
  const PassageSpan& span = *std::prev(after);
  return full_heading_text(segment_.text(file_), span.heading, span.context);
}

}  // namespace quarry::corpus
