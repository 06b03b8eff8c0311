#include "corpus/query/search.h"

#include "base/utf8.h"
#include "corpus/index/passage_text.h"
#include "corpus/index/segment_words.h"
#include "corpus/index/word_index.h"
#include "corpus/query/explain.h"
#include "corpus/query/fusion.h"
#include "corpus/query/location.h"
#include "corpus/query/meaning_search.h"
#include "corpus/query/passage_reranker.h"
#include "corpus/query/ranking.h"
#include "corpus/query/reranking.h"
#include "corpus/query/weighted_search.h"
#include "corpus/text/passages.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kMostPassages = 50;

/// A table built for one question in place of a missing index.
struct ScannedTable {
  std::string bytes;
  WordTable table;
};

/// A segment to be searched, with its source and its index, which keeps the table alive.
struct SearchPart {
  const Source* source;
  std::size_t number;  // of the source in the collection
  std::uint32_t segment;
  std::shared_ptr<const WordIndex> index;
  std::vector<bool> beneath;  // files of the segment beneath the requested path; empty = all

  [[nodiscard]] const Segment& files() const { return *source->snapshot->segments()[segment]; }
  [[nodiscard]] bool admits(FileId file) const {
    if (!beneath.empty()) return beneath[file];
    return source->snapshot->is_live({segment, file});
  }
};

/// Marks the live files at or beneath `path` in each segment of the source's parts.
void restrict_to(std::span<SearchPart> parts, const std::string& path) {
  for (SearchPart& part : parts) part.beneath.assign(part.files().file_count(), false);
  const Snapshot& snapshot = *parts.front().source->snapshot;
  for (const FileRef file : snapshot.beneath(path)) parts[file.segment].beneath[file.file] = true;
  if (const auto file = snapshot.find(path)) parts[file->segment].beneath[file->file] = true;
}

void append_parts(const Collection& collection, const Location& place, Executor& executor,
                  const std::stop_token& stop, std::vector<SearchPart>& parts) {
  const Source& source = collection.sources()[place.source];
  const std::size_t first = parts.size();
  const auto segments = static_cast<std::uint32_t>(source.snapshot->segments().size());
  for (std::uint32_t i = 0; i < segments; ++i) {
    parts.push_back({.source = &source,
                     .number = place.source,
                     .segment = i,
                     .index = source.snapshot->built_words(i, executor, stop),
                     .beneath = {}});
  }
  if (!place.path.empty() && segments > 0) {
    restrict_to(std::span(parts).subspan(first), place.path);
  }
}

Result<std::vector<SearchPart>> parts_of(const Collection& collection, const std::string& path,
                                         Executor& executor, const std::stop_token& stop) {
  Result<std::optional<Location>> where = collection.resolve(path);
  if (!where) return where.error();
  std::vector<SearchPart> parts;
  if (*where) {
    if (!exists(collection, **where)) return no_such_path(collection, **where);
    append_parts(collection, **where, executor, stop, parts);
    return parts;
  }
  for (std::size_t source = 0; source < collection.sources().size(); ++source) {
    append_parts(collection, {source, ""}, executor, stop, parts);
  }
  return parts;
}

Result<std::unique_ptr<ScannedTable>> scan(const Segment& segment, const TermFilter& filter,
                                           Executor& executor, std::stop_token stop) {
  auto scanned = std::make_unique<ScannedTable>();
  Result<std::string> bytes = build_word_table(documents_of(segment), &filter, executor, stop);
  if (!bytes) return bytes.error();
  scanned->bytes = std::move(*bytes);
  Result<WordTable> table = WordTable::open(scanned->bytes);
  if (!table) return table.error();
  scanned->table = *table;
  return scanned;
}

std::string full_heading(const WordTable& table, PassageId passage, std::string_view text) {
  return full_heading_text(text, table.heading(passage), table.context(passage));
}

Passage describe(const SearchPart& part, const WordTable& table, const RankedPassage& ranked) {
  const Segment& files = part.files();
  const bool sound = files.check(ranked.file).has_value();
  const PassageId next = ranked.passage + 1;
  const bool last = next == table.passages_of(ranked.file).end;
  const std::uint32_t lines = files.line_count(ranked.file);
  const std::uint32_t start = std::clamp(table.line(ranked.passage), 1u, std::max(lines, 1u));
  return {
      .path = part.source->name + "/" + std::string(files.path(ranked.file)),
      .source = part.number,
      .file = {part.segment, ranked.file},
      .start_line = start,
      .end_line = last ? lines : std::clamp(table.line(next) - 1, start, std::max(lines, start)),
      .heading = sound ? full_heading(table, ranked.passage, files.text(ranked.file)) : "",
      .score = ranked.score};
}

/// Empty if it is damaged.
std::string_view text_to_read(const SearchPart& part, FileId file) {
  return part.files().check(file) ? part.files().text(file) : std::string_view();
}

/// UTF-8; empty if it is damaged.
std::string text_to_score(const SearchPart& part, const WordTable& table,
                          const RankedPassage& ranked) {
  if (!part.files().check(ranked.file)) return {};
  return to_utf8(passage_text(part.files(), table, ranked.passage));
}

/// The vectors of each part, or null.
std::vector<std::shared_ptr<const VectorIndex>> vectors_of(std::span<const SearchPart> parts,
                                                           const std::string& file) {
  std::vector<std::shared_ptr<const VectorIndex>> vectors(parts.size());
  for (std::size_t i = 0; i < parts.size() && !file.empty(); ++i) {
    if (parts[i].index) vectors[i] = parts[i].source->snapshot->vectors(parts[i].segment, file);
  }
  return vectors;
}

/// What ranks besides the words.
struct Models {
  MeaningSearch meaning;
  Reranking reranking;

  [[nodiscard]] bool are_configured() const {
    return meaning.is_configured() || reranking.is_configured();
  }
  [[nodiscard]] std::string note() const {
    std::string note = meaning.note();
    const std::string rest = reranking.note();
    if (!note.empty() && !rest.empty()) note += ' ';
    return note + rest;
  }
};

/// The query as encoders and rerankers read it: the beginning of a long question.
SearchQuery query_for_models(SearchQuery query) {
  query.words = utf8_prefix(to_utf8(query.words), kMostEncodedBytes);
  return query;
}

Result<std::vector<Passage>> search_parts(std::span<const SearchPart> parts,
                                          const Question& question, const SearchQuery& query,
                                          const RankingWeights& weights, Models& models,
                                          Executor& executor, const std::stop_token& stop) {
  std::vector<std::unique_ptr<ScannedTable>> scanned;
  std::vector<Shard> shards;
  for (const SearchPart& part : parts) {
    const WordTable* table = part.index ? &part.index->table() : nullptr;
    if (table == nullptr) {
      auto made = scan(part.files(), filter_for(question), executor, stop);
      if (!made) return made.error();
      scanned.push_back(std::move(*made));
      table = &scanned.back()->table;
    }
    shards.push_back({table, [&part](FileId file) { return part.admits(file); },
                      [&part](FileId file) { return part.files().path(file); },
                      [&part](FileId file) { return text_to_read(part, file); }});
  }
  const std::size_t count = std::min(query.limit, kMostPassages);
  const auto vectors = vectors_of(parts, models.meaning.vector_file());
  const bool by_words = models.are_configured() && names_known_place(question, shards);
  const bool fuses = models.meaning.begin(by_words, shards, vectors);
  const bool scores = models.reranking.is_configured() && !by_words;
  const std::size_t fused = scores ? Reranking::kScoredPassages : count;
  std::vector<RankedPassage> ranked = rank(
      shards, question, weights, fuses ? MeaningSearch::kFusedPassages : fused, executor, stop);
  if (fuses) ranked = models.meaning.fused(std::move(ranked), fused, executor, stop);
  if (scores) {
    const auto text_of = [&](const RankedPassage& one) {
      return text_to_score(parts[one.shard], *shards[one.shard].table, one);
    };
    ranked = models.reranking.ordered(std::move(ranked), text_of, count, executor, stop);
  }
  if (stop.stop_requested()) return Error{Code::kCancelled, "the search was cancelled"};

  std::vector<Passage> passages;
  for (const RankedPassage& one : ranked) {
    passages.push_back(describe(parts[one.shard], *shards[one.shard].table, one));
  }
  if (query.explain) {
    auto explained = explain(shards, question, weights, ranked, executor);
    for (std::size_t i = 0; i < passages.size(); ++i) {
      passages[i].explanation = std::move(explained[i]);
    }
  }
  return passages;
}

}  // namespace

Result<std::vector<Passage>> search(const Collection& collection, const SearchQuery& query,
                                    Executor& executor, std::stop_token stop, std::string* note) {
  return weighted_search(collection, query, RankingTable{}, executor, std::move(stop), note);
}

Result<std::vector<Passage>> weighted_search(const Collection& collection, const SearchQuery& query,
                                             const RankingTable& table, Executor& executor,
                                             std::stop_token stop, std::string* note) {
  const Question question = parse_question(query.words, table);
  const RankingWeights& weights = table.of(question.shape);
  const SearchQuery read_by_models = query_for_models(query);
  Models models{MeaningSearch(collection.models().encoder.get(), read_by_models),
                Reranking(collection.models().reranker.get(), read_by_models)};
  for (;;) {
    Result<std::vector<SearchPart>> parts = parts_of(collection, query.path, executor, stop);
    if (!parts) return parts.error();
    auto passages = search_parts(*parts, question, query, weights, models, executor, stop);
    if (note != nullptr) *note = models.note();
    // The next round finds a damaged index removed and scans instead.
    const bool whole = std::ranges::none_of(
        *parts, [](const SearchPart& part) { return part.index && part.index->is_damaged(); });
    if (whole || !passages) return passages;
  }
}

}  // namespace quarry::corpus
