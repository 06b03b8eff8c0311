#include "corpus/index/trigram_index.h"

#include "corpus/index/posting_list.h"
#include "corpus/index/trigram_format.h"
#include "corpus/segment/table_file.h"
#include "corpus/text/letter_case.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <ranges>

namespace quarry::corpus {
namespace {

/// With more list bytes than this for each remaining candidate, reading the list costs more than
/// reading the files.
constexpr std::size_t kListBytesPerCandidate = 256;

class MappedTrigrams final : public TrigramIndex {
 public:
  explicit MappedTrigrams(TableFile table) : table_(std::move(table)) {}

  Status load(TrigramShape expected);
  [[nodiscard]] bool is_damaged() const override { return table_.is_damaged(); }
  [[nodiscard]] std::vector<FileId> candidates(std::string_view literal) const override;
  [[nodiscard]] std::vector<FileId> folding_files() const override;

 private:
  using List = CheckedArray<char>;
  [[nodiscard]] List postings(std::uint32_t trigram) const;
  [[nodiscard]] std::vector<List> lists_of(std::string_view literal) const;
  [[nodiscard]] std::vector<FileId> all_files() const;

  TableFile table_;
  FileId file_count_ = 0;
  CheckedArray<std::uint32_t> trigrams_;
  CheckedArray<std::uint64_t> starts_;
  List postings_;
};

Status MappedTrigrams::load(TrigramShape expected) {
  const auto shape = table_.take_whole<TrigramShape>();
  if (!shape) return shape.error();
  if (shape->size() != 1 || shape->front() != expected) {
    return table_.damaged("it belongs to another text");
  }
  const auto trigrams = table_.take<std::uint32_t>();
  if (!trigrams) return trigrams.error();
  const auto starts = table_.take<std::uint64_t>();
  if (!starts) return starts.error();
  const auto postings = table_.take<char>();
  if (!postings) return postings.error();
  trigrams_ = *trigrams;
  starts_ = *starts;
  postings_ = *postings;
  if (starts_.size() != trigrams_.size() + 1) {
    return table_.damaged("its arrays disagree on the number of lists");
  }
  file_count_ = static_cast<FileId>(expected.files);
  return {};
}

MappedTrigrams::List MappedTrigrams::postings(std::uint32_t trigram) const {
  const auto numbers = std::views::iota(std::size_t{0}, trigrams_.size());
  const auto at =
      *std::ranges::lower_bound(numbers, trigram, {}, [&](std::size_t i) { return trigrams_[i]; });
  if (at == trigrams_.size() || trigrams_[at] != trigram) return {};
  return postings_.part(starts_[at], starts_[at + 1]);
}

std::vector<FileId> MappedTrigrams::all_files() const {
  std::vector<FileId> all(file_count_);
  std::iota(all.begin(), all.end(), FileId{0});
  return all;
}

/// The lists of the trigrams that every spelling of `literal` contains: those of ASCII bytes,
/// because only their other case is known here.
std::vector<MappedTrigrams::List> MappedTrigrams::lists_of(std::string_view literal) const {
  std::vector<List> lists;
  std::uint32_t trigram = 0;
  std::size_t length = 0;
  for (const char byte : literal) {
    const auto lower = kLowerCase[static_cast<unsigned char>(byte)];
    trigram = (trigram << 8 | lower) & 0xFFFFFF;
    length = lower < 0x80 ? length + 1 : 0;
    if (length >= 3) lists.push_back(postings(trigram));
  }
  std::ranges::sort(lists, {}, &List::size);
  return lists;
}

/// All files if a block has been found damaged: a trigram may be missing because of it.
std::vector<FileId> MappedTrigrams::candidates(std::string_view literal) const {
  std::optional<std::vector<FileId>> files;
  for (const List& list : lists_of(literal)) {
    if (files && files->size() * kListBytesPerCandidate < list.size()) break;
    if (!list.recheck(0, list.size())) break;
    if (files) {
      keep_postings(*files, list.text());
    } else {
      files = read_postings(list.text(), file_count_);
    }
  }
  return files && !is_damaged() ? std::move(*files) : all_files();
}

std::vector<FileId> MappedTrigrams::folding_files() const {
  const List list = postings(kFoldingFiles);
  const bool sound = list.recheck(0, list.size()) && !is_damaged();
  return sound ? read_postings(list.text(), file_count_) : all_files();
}

}  // namespace

Result<std::shared_ptr<const TrigramIndex>> TrigramIndex::open(const std::filesystem::path& file,
                                                               const Segment& segment) {
  return open_trigrams(file, {segment.file_count(), segment.packed_text().size()});
}

Result<std::shared_ptr<const TrigramIndex>> open_trigrams(const std::filesystem::path& file,
                                                          TrigramShape expected) {
  auto table = TableFile::map(file, kTrigramTable);
  if (!table) return std::move(table).error();
  auto index = std::make_shared<MappedTrigrams>(std::move(*table));
  if (auto status = index->load(expected); !status) return std::move(status).error();
  return index;
}

}  // namespace quarry::corpus
