#include "corpus/trigram_index.h"

#include "corpus/posting_list.h"
#include "corpus/table_file.h"
#include "corpus/trigram_format.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

namespace quarry::corpus {
namespace {

/// Below this many list bytes a candidate left, looking further costs more than reading the files.
constexpr std::size_t kListBytesPerCandidate = 256;

class MappedTrigrams final : public TrigramIndex {
 public:
  explicit MappedTrigrams(TableFile table) : table_(std::move(table)) {}

  Status load(TrigramShape expected);
  [[nodiscard]] std::vector<FileId> candidates(std::string_view literal) const override;
  [[nodiscard]] std::vector<FileId> folding_files() const override;

 private:
  [[nodiscard]] std::string_view postings(std::uint32_t trigram) const;
  [[nodiscard]] std::vector<std::string_view> lists_of(std::string_view literal) const;

  TableFile table_;
  FileId file_count_ = 0;
  std::span<const std::uint32_t> trigrams_;
  std::span<const std::uint64_t> starts_;
  std::span<const char> postings_;
};

Status MappedTrigrams::load(TrigramShape expected) {
  auto shape = table_.take<TrigramShape>();
  if (!shape) return std::move(shape).error();
  if (shape->size() != 1 || shape->front() != expected) {
    return table_.damaged("it belongs to another text");
  }
  auto trigrams = table_.take<std::uint32_t>();
  if (!trigrams) return std::move(trigrams).error();
  auto starts = table_.take<std::uint64_t>();
  if (!starts) return std::move(starts).error();
  auto postings = table_.take<char>();
  if (!postings) return std::move(postings).error();
  if (starts->size() != trigrams->size() + 1 || starts->back() != postings->size() ||
      !std::ranges::is_sorted(*starts) || !std::ranges::is_sorted(*trigrams)) {
    return table_.damaged("its lists are out of order");
  }
  file_count_ = static_cast<FileId>(expected.files);
  trigrams_ = *trigrams;
  starts_ = *starts;
  postings_ = *postings;
  return {};
}

std::string_view MappedTrigrams::postings(std::uint32_t trigram) const {
  const auto found = std::ranges::lower_bound(trigrams_, trigram);
  if (found == trigrams_.end() || *found != trigram) return {};
  const auto at = static_cast<std::size_t>(found - trigrams_.begin());
  return {postings_.data() + starts_[at], starts_[at + 1] - starts_[at]};
}

/// The lists of the trigrams that every spelling of `literal` has: only those of ASCII bytes, whose
/// other case is known here.
std::vector<std::string_view> MappedTrigrams::lists_of(std::string_view literal) const {
  std::vector<std::string_view> lists;
  std::uint32_t trigram = 0;
  std::size_t length = 0;
  for (const char byte : literal) {
    const auto lower = kLowerCase[static_cast<unsigned char>(byte)];
    trigram = (trigram << 8 | lower) & 0xFFFFFF;
    length = lower < 0x80 ? length + 1 : 0;
    if (length >= 3) lists.push_back(postings(trigram));
  }
  std::ranges::sort(lists, {}, &std::string_view::size);
  return lists;
}

std::vector<FileId> MappedTrigrams::candidates(std::string_view literal) const {
  const std::vector<std::string_view> lists = lists_of(literal);
  if (lists.empty()) {
    std::vector<FileId> all(file_count_);
    std::iota(all.begin(), all.end(), FileId{0});
    return all;
  }
  std::vector<FileId> files = read_postings(lists.front(), file_count_);
  for (const std::string_view list : std::span(lists).subspan(1)) {
    if (files.size() * kListBytesPerCandidate < list.size()) break;
    keep_postings(files, list);
  }
  return files;
}

std::vector<FileId> MappedTrigrams::folding_files() const {
  return read_postings(postings(kFoldingFiles), file_count_);
}

}  // namespace

Result<std::shared_ptr<const TrigramIndex>> TrigramIndex::open(const std::filesystem::path& file,
                                                               const Segment& segment) {
  return open_trigrams(file, {segment.file_count(), segment.packed_text().size()});
}

Result<std::shared_ptr<const TrigramIndex>> open_trigrams(const std::filesystem::path& file,
                                                          TrigramShape expected) {
  auto table = TableFile::open(file, kTrigramTable);
  if (!table) return std::move(table).error();
  auto index = std::make_shared<MappedTrigrams>(std::move(*table));
  if (auto status = index->load(expected); !status) return std::move(status).error();
  return index;
}

}  // namespace quarry::corpus
