#include "corpus/index/word_chunk.h"

#include "corpus/text/file_traits.h"
#include "corpus/text/headings.h"
#include "corpus/text/html_text.h"
#include "corpus/text/words.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr int kHeadingWeight = 2;  // added to the count of a word in the heading
constexpr int kContextWeight = 1;
constexpr int kFileNameWeight = 3;
constexpr std::uint8_t kMostCounted = 255;

/// The terms of one distinct word; computed once for each chunk.
struct KnownWord {
  std::uint32_t first_term;  // in ChunkIndexer::word_terms_
  std::uint8_t terms;        // terms that pass the filter
  std::uint8_t length;       // all terms: the word's share of a passage's length
};

struct RawPosting {
  std::uint32_t term;
  PassageId passage;
  std::uint8_t count;
};

class ChunkIndexer {
 public:
  ChunkIndexer(FileId first_file, const TermFilter* filter)
      : next_file_(first_file), filter_(filter) {}

  void add(const Document& document);
  WordChunk finish();

 private:
  void index_passage(const Document& document, const PassageSpan& span);
  void index_path(std::string_view path);
  std::uint32_t count_text(std::string_view text, int weight);
  std::uint32_t count_words(std::string_view text, int weight);
  void count_term(std::uint32_t term, int weight);
  void count_named(char kind, std::string_view name, int weight);
  void end_passage(PassageId passage);
  const KnownWord& known(std::string_view word);
  void intern_kept(std::string name, std::vector<std::uint32_t>& ids);
  void encode(NameKey key, std::span<const RawPosting> sorted);

  FileId next_file_;
  const TermFilter* filter_;
  WordChunk chunk_;
  WordInterner words_;
  std::vector<KnownWord> known_;
  std::vector<std::uint32_t> word_terms_;
  WordInterner terms_;
  std::vector<std::uint8_t> counts_;    // by term, of the open passage
  std::vector<std::uint32_t> touched_;  // terms of the open passage
  std::vector<RawPosting> postings_;
  bool is_html_ = false;  // the open document
};

void ChunkIndexer::add(const Document& document) {
  const auto first = static_cast<PassageId>(chunk_.passages.size());
  chunk_.files.push_back({first, 0, traits_of(document.path, document.text)});
  const FileId file = next_file_++;
  if (document.text.empty()) return;
  const Passages cut = cut_passages(document.path, document.text);
  is_html_ = markup_of(document.path) == Markup::kHtml;
  auto name = cut.defined_names.begin();
  std::uint32_t file_length = 0;
  for (const PassageSpan& span : cut.spans) {
    const auto passage = static_cast<PassageId>(chunk_.passages.size());
    const std::uint32_t length =
        count_text(document.text.substr(span.begin, span.end - span.begin), 1);
    file_length += length;
    count_text(heading_at(document.text, span.heading), kHeadingWeight);
    count_text(heading_at(document.text, span.context), kContextWeight);
    for (; name != cut.defined_names.end() && name->offset < span.end; ++name) {
      count_named(kDefinedTerm, fold_identifier(name->name), 1);
      count_named(kDefinedStem, join_stems(name->name), 1);
    }
    if (passage == first) index_path(document.path);
    end_passage(passage);
    chunk_.passages.push_back({span, file, static_cast<std::uint16_t>(std::min(length, 0xFFFFu))});
  }
  chunk_.files.back().length = file_length;
}

/// Indexes the words of a path, those of its name with a greater weight, and the name unchanged.
void ChunkIndexer::index_path(std::string_view path) {
  const std::size_t name_at = path.rfind('/') + 1;
  WordScanner scanner(path);
  for (std::string_view word; !(word = scanner.next()).empty();) {
    const bool in_name = static_cast<std::size_t>(word.data() - path.data()) >= name_at;
    WordTerms terms = terms_of(word);
    if (!terms.whole.empty()) terms.parts.push_back(std::move(terms.whole));
    for (const std::string& part : terms.parts) {
      count_named(kPathTerm, part, in_name ? kFileNameWeight : 1);
    }
  }
  const std::string name = lower_word(path.substr(name_at));
  if (name.contains('.')) count_named(kPathTerm, name, 1);
}

/// Counts the words of the visible text.
std::uint32_t ChunkIndexer::count_text(std::string_view text, int weight) {
  if (!is_html_) return count_words(text, weight);
  std::uint32_t length = 0;
  HtmlScanner scanner(text);
  for (std::string_view run; !(run = scanner.next()).empty();) length += count_words(run, weight);
  return length;
}

/// Counts the words of `text`, a part of the document because words are stored as views.
std::uint32_t ChunkIndexer::count_words(std::string_view text, int weight) {
  std::uint32_t length = 0;
  WordScanner scanner(text);
  for (std::string_view word; !(word = scanner.next()).empty();) {
    const KnownWord entry = known(word);
    length += entry.length;
    for (std::uint32_t i = 0; i < entry.terms; ++i) {
      count_term(word_terms_[entry.first_term + i], weight);
    }
  }
  return length;
}

void ChunkIndexer::count_term(std::uint32_t term, int weight) {
  std::uint8_t& count = counts_[term];
  if (count == 0) touched_.push_back(term);
  count = static_cast<std::uint8_t>(std::min(count + weight, int{kMostCounted}));
}

void ChunkIndexer::count_named(char kind, std::string_view name, int weight) {
  if (name.empty() || name.size() > kMaxWordBytes) return;
  std::vector<std::uint32_t> ids;
  intern_kept(kind + std::string(name), ids);
  for (const std::uint32_t id : ids) count_term(id, weight);
}

void ChunkIndexer::end_passage(PassageId passage) {
  for (const std::uint32_t term : touched_) {
    postings_.push_back({term, passage, counts_[term]});
    counts_[term] = 0;
  }
  touched_.clear();
}

const KnownWord& ChunkIndexer::known(std::string_view word) {
  const auto [id, is_new] = words_.add(word);
  if (!is_new) return known_[id];
  WordTerms terms = terms_of(word);
  if (!terms.whole.empty()) terms.parts.push_back(std::move(terms.whole));
  std::vector<std::uint32_t> ids;
  for (std::string& name : terms.parts) intern_kept(std::move(name), ids);
  known_.push_back({static_cast<std::uint32_t>(word_terms_.size()),
                    static_cast<std::uint8_t>(ids.size()),
                    static_cast<std::uint8_t>(terms.parts.size())});
  word_terms_.insert(word_terms_.end(), ids.begin(), ids.end());
  return known_.back();
}

void ChunkIndexer::intern_kept(std::string name, std::vector<std::uint32_t>& ids) {
  if (filter_ != nullptr && !filter_->contains(name)) return;
  const auto [id, is_new] = terms_.add(name);
  if (is_new) {
    chunk_.names.push_back(std::move(name));
    terms_.keep_last(chunk_.names.back());
    counts_.push_back(0);
  }
  ids.push_back(id);
}

WordChunk ChunkIndexer::finish() {
  std::vector<std::pair<NameKey, std::uint32_t>> order(terms_.size());
  for (std::uint32_t id = 0; id < order.size(); ++id) order[id] = {NameKey(terms_[id]), id};
  std::ranges::sort(order);
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i].second] = i;

  std::vector<std::uint32_t> starts(order.size() + 1, 0);
  for (const RawPosting& posting : postings_) ++starts[rank[posting.term] + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<RawPosting> sorted(postings_.size());
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  for (const RawPosting& posting : postings_) sorted[next[rank[posting.term]]++] = posting;
  std::exchange(postings_, {});  // {} alone keeps its memory
  for (std::size_t i = 0; i < order.size(); ++i) {
    encode(order[i].first, std::span(sorted).subspan(starts[i], starts[i + 1] - starts[i]));
  }
  return std::move(chunk_);
}

/// Encodes the postings of one term, in order of passage.
void ChunkIndexer::encode(NameKey key, std::span<const RawPosting> sorted) {
  const auto file_of = [&](const RawPosting& p) { return chunk_.passages[p.passage].file; };
  ChunkTerm term{.key = key,
                 .passages = static_cast<std::uint32_t>(sorted.size()),
                 .files = 1,
                 .first = sorted.front().passage,
                 .last = sorted.back().passage,
                 .first_count = sorted.front().count,
                 .begin = static_cast<std::uint32_t>(chunk_.postings.size()),
                 .end = 0};
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (file_of(sorted[i]) != file_of(sorted[i - 1])) ++term.files;
    append_posting(chunk_.postings, sorted[i].passage - sorted[i - 1].passage - 1, sorted[i].count);
  }
  term.end = static_cast<std::uint32_t>(chunk_.postings.size());
  chunk_.terms.push_back(term);
}

}  // namespace

void append_posting(std::string& out, std::uint64_t distance, std::uint8_t count) {
  append_varint(out, distance << 1 | (count > 1 ? 1 : 0));
  if (count > 1) out += static_cast<char>(count);
}

WordChunk index_chunk(std::span<const Document> documents, FileId first_file,
                      const TermFilter* filter, std::stop_token stop) {
  ChunkIndexer indexer(first_file, filter);
  for (const Document& document : documents) {
    if (stop.stop_requested()) return {};
    indexer.add(document);
  }
  return indexer.finish();
}

}  // namespace quarry::corpus
