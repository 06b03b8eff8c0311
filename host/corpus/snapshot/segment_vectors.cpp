#include "corpus/snapshot/segment_vectors.h"

#include "base/directory_entries.h"
#include "base/utf8.h"
#include "corpus/index/passage_text.h"
#include "corpus/index/word_index.h"

#include <algorithm>
#include <cstring>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// Passages after which the file is published again: it is written whole.
constexpr std::size_t kLeastPublished = 512;
constexpr std::size_t kPublications = 16;

constexpr std::string_view kSegmentPrefix = "segment-";

/// Visits the sound rows of a published file that stand for a text.
void visit_rows_of(const VectorIndex& index, const VisitRow& visit) {
  const std::size_t width = row_bytes(index.dimension());
  for (PassageId passage = 0; passage < index.passage_count(); ++passage) {
    if (index.text(passage) == 0 || !index.check(passage, 1)) continue;
    visit({index.text(passage),
           index.dimension(),
           index.scale(passage),
           {reinterpret_cast<const char*>(index.rows(passage)), width}});
  }
}

}  // namespace

Result<SegmentVectors> SegmentVectors::open(std::shared_ptr<const Snapshot> snapshot,
                                            std::uint32_t segment,
                                            std::string_view encoder_identity,
                                            std::span<const fs::path> earlier) {
  SegmentVectors vectors;
  vectors.snapshot_ = std::move(snapshot);
  vectors.segment_ = segment;
  vectors.name_ = vector_file_name(encoder_identity);
  vectors.words_ = vectors.snapshot_->words(segment);
  const Segment& of = *vectors.snapshot_->segments()[segment];
  if (!vectors.words_) return Error{Code::kNotFound, "the segment has no index of words yet"};
  if (Status sound = of.check_all(); !sound) return std::move(sound).error();
  vectors.texts_ = passage_digests(of, vectors.words_->table());
  vectors.list_places();
  if (vectors.take_own(vectors.file()) && vectors.is_complete()) return vectors;
  if (Status begun = vectors.continue_part(earlier); !begun) return std::move(begun).error();
  return vectors;
}

fs::path SegmentVectors::file() const {
  return snapshot_->segments()[segment_]->directory() / name_;
}

void SegmentVectors::list_places() {
  table_.places = places_digest(words_->table());
  table_.scales.resize(total());
  table_.texts.resize(total());
  has_row_.resize(total());
  for (PassageId passage = 0; passage < total(); ++passage) {
    if (texts_[passage] == 0) {
      has_row_[passage] = true;
      ++done_;
    } else {
      places_.push_back({texts_[passage], passage});
    }
  }
  std::ranges::sort(places_);
}

/// True if a passage has this text and no row yet, and the row is of the dimension of the others.
bool SegmentVectors::wants(const StoredRow& row) const {
  if (table_.dimension != 0 && table_.dimension != row.dimension) return false;
  const auto at = std::ranges::lower_bound(places_, row.text, {}, &Place::text);
  return at != places_.end() && at->text == row.text && !has_row_[at->passage];
}

/// Sets the row of every passage with its text.
void SegmentVectors::set_row(const StoredRow& row) {
  if (!wants(row)) return;
  table_.dimension = row.dimension;
  const std::size_t width = row_bytes(row.dimension);
  table_.rows.resize(total() * width);
  for (const Place& place : std::ranges::equal_range(places_, row.text, {}, &Place::text)) {
    table_.scales[place.passage] = row.scale;
    table_.texts[place.passage] = row.text;
    std::memcpy(table_.rows.data() + place.passage * width, row.values.data(), width);
    has_row_[place.passage] = true;
    ++done_;
  }
}

/// Takes the rows of the published file. False if it has other passages, or there is none.
bool SegmentVectors::take_own(const fs::path& file) {
  const auto index = VectorIndex::open(file);
  if (!index) return false;
  visit_rows_of(**index, [this](const StoredRow& row) { set_row(row); });
  const bool fits = (*index)->fits(words_->table());
  if (fits) published_ = (*index)->done();
  return fits;
}

Status SegmentVectors::continue_part(std::span<const fs::path> earlier) {
  auto part = VectorPart::open(file().parent_path() / part_file_name(name_),
                               [this](const StoredRow& row) { set_row(row); });
  if (!part) return std::move(part).error();
  part_.emplace(std::move(*part));
  std::vector<EncodedText> found;
  collect_from(snapshot_->directory(), found);
  for (const fs::path& snapshot : earlier) collect_from(snapshot, found);
  std::ranges::stable_sort(found, {}, &EncodedText::text);
  const auto again = std::ranges::unique(found, {}, &EncodedText::text);
  found.erase(again.begin(), again.end());
  Status status = keep(found);
  list_missing();
  if (status && (done_ > published_ || is_complete())) status = publish();
  return status;
}

/// Appends the rows that this segment wants.
void SegmentVectors::collect_from(const fs::path& snapshot, std::vector<EncodedText>& found) {
  const VisitRow take = [&](const StoredRow& row) {
    if (!wants(row)) return;
    table_.dimension = row.dimension;
    found.push_back({row.text, {row.scale, std::string(row.values)}});
  };
  for (const auto& entry : entries_of(snapshot)) {
    if (!entry.path().filename().native().starts_with(kSegmentPrefix)) continue;
    // One that is missing or damaged has nothing to take over.
    if (const auto index = VectorIndex::open(entry.path() / name_)) visit_rows_of(**index, take);
    static_cast<void>(read_part(entry.path() / part_file_name(name_), take));
  }
}

/// Keeps rows of the table's dimension.
Status SegmentVectors::keep(std::span<const EncodedText> rows) {
  if (Status kept = part_->append(table_.dimension, rows); !kept) return kept;
  for (const EncodedText& one : rows) {
    set_row({one.text, table_.dimension, one.row.scale, one.row.values});
  }
  return {};
}

void SegmentVectors::list_missing() {
  for (PassageId passage = 0; passage < total(); ++passage) {
    if (has_row_[passage]) continue;
    const auto at = std::ranges::lower_bound(places_, texts_[passage], {}, &Place::text);
    if (at->passage == passage) missing_.push_back(passage);
  }
}

Status SegmentVectors::take_dimension(std::uint32_t dimension) {
  if (table_.dimension != 0 && table_.dimension != dimension) {
    return Error{Code::kInternal,
                 "the encoder returned vectors of " + std::to_string(dimension) +
                     " dimensions, and earlier ones of " + std::to_string(table_.dimension),
                 "Its identity must change with its dimension."};
  }
  table_.dimension = dimension;
  return {};
}

std::vector<std::string> SegmentVectors::texts_of(std::span<const PassageId> passages) const {
  std::vector<std::string> texts;
  for (const PassageId passage : passages) {
    texts.push_back(
        to_utf8(passage_text(*snapshot_->segments()[segment_], words_->table(), passage)));
  }
  return texts;
}

Result<std::vector<EncodedText>> SegmentVectors::encode(Encoder& encoder,
                                                        std::span<const PassageId> passages,
                                                        const std::stop_token& stop) {
  const std::vector<std::string> texts = texts_of(passages);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto values = encoder.encode(views, TextKind::kPassage, stop);
  if (!values) return values.error();
  if (values->empty() || values->size() % views.size() != 0) {
    return Error{Code::kInternal, "the encoder returned " + std::to_string(values->size()) +
                                      " values for " + std::to_string(views.size()) + " texts"};
  }
  const std::size_t dimension = values->size() / views.size();
  std::vector<EncodedText> rows;
  for (std::size_t i = 0; i < views.size(); ++i) {
    auto row = to_row(std::span(*values).subspan(i * dimension, dimension));
    if (!row) return std::move(row).error();
    rows.push_back({texts_[passages[i]], std::move(*row)});
  }
  Status fits = take_dimension(static_cast<std::uint32_t>(dimension));
  if (!fits) return std::move(fits).error();
  return rows;
}

/// Finds the refused texts of a batch, which get no direction. If every text is refused and none
/// was accepted before, the reason is not in the texts.
Status SegmentVectors::encode_each(Encoder& encoder, std::span<const PassageId> passages,
                                   const std::stop_token& stop) {
  std::vector<PassageId> refused;
  std::optional<Error> why;
  for (const PassageId& passage : passages) {
    const auto row = encode(encoder, {&passage, 1}, stop);
    if (!row && row.error().code == Code::kInvalidArgument) {
      refused.push_back(passage);
      why = row.error();
      continue;
    }
    Status kept = row ? keep(*row) : Status(row.error());
    if (!kept) return kept;
  }
  if (refused.empty()) return {};
  if (table_.dimension == 0) return std::move(*why);
  std::vector<EncodedText> rows;
  for (const PassageId passage : refused) {
    rows.push_back({texts_[passage], {0, std::string(row_bytes(table_.dimension), '\0')}});
  }
  return keep(rows);
}

/// The next texts without a row.
std::vector<PassageId> SegmentVectors::next_batch(std::size_t count) {
  std::vector<PassageId> batch;
  for (; next_ < missing_.size() && batch.size() < count; ++next_) {
    if (!has_row_[missing_[next_]]) batch.push_back(missing_[next_]);
  }
  return batch;
}

Status SegmentVectors::encode_next(Encoder& encoder, std::size_t count,
                                   const std::stop_token& stop) {
  const std::size_t before = next_;
  const std::vector<PassageId> batch = next_batch(count);
  if (batch.empty()) return {};
  const auto rows = encode(encoder, batch, stop);
  Status status = rows ? keep(*rows) : Status(rows.error());
  if (!rows && rows.error().code == Code::kInvalidArgument) {
    status =
        batch.size() == 1 && table_.dimension == 0 ? status : encode_each(encoder, batch, stop);
  }
  if (!status) {
    next_ = before;
    return status;
  }
  const std::size_t step = std::max(kLeastPublished, total() / kPublications);
  return is_complete() || done_ >= published_ + step ? publish() : Status();
}

Status SegmentVectors::publish() {
  if (done_ == published_ && !is_complete()) return {};
  table_.done = static_cast<std::uint32_t>(done_);
  Status written = write_file_atomically(file(), to_bytes(table_));
  if (!written) return written;
  published_ = done_;
  if (!is_complete() || !part_) return {};
  part_.reset();
  std::error_code ignored;
  std::filesystem::remove(file().parent_path() / part_file_name(name_), ignored);
  return {};
}

}  // namespace quarry::corpus
