#include "corpus/index/trigram_index.h"

#include "corpus/index/posting_list.h"
#include "corpus/index/trigram_format.h"
#include "corpus/segment/checked_bytes.h"
#include "corpus/segment/table_file.h"
#include "corpus/text/letter_case.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

namespace quarry::corpus {
namespace {

/// Bytes of postings for each digest, compared before a list is read; most lists are shorter.
constexpr std::size_t kBlockBytes = 4u << 10;

/// With more list bytes than this for each remaining candidate, reading the list costs more than
/// reading the files.
constexpr std::size_t kListBytesPerCandidate = 256;

class MappedTrigrams final : public TrigramIndex {
 public:
  explicit MappedTrigrams(TableFile table) : table_(std::move(table)) {}

  Status load(TrigramShape expected);
  [[nodiscard]] bool is_damaged() const override { return postings_->is_damaged(); }
  [[nodiscard]] std::vector<FileId> candidates(std::string_view literal) const override;
  [[nodiscard]] std::vector<FileId> folding_files() const override;

 private:
  [[nodiscard]] std::string_view postings(std::uint32_t trigram) const;
  [[nodiscard]] bool is_sound(std::string_view list) const;
  [[nodiscard]] std::vector<std::string_view> lists_of(std::string_view literal) const;
  [[nodiscard]] std::vector<FileId> all_files() const;

  TableFile table_;
  FileId file_count_ = 0;
  std::vector<std::uint32_t> trigrams_;  // copied to memory, where they no longer change
  std::vector<std::uint64_t> starts_;
  std::optional<CheckedBytes> postings_;
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
  trigrams_.assign(trigrams->begin(), trigrams->end());
  starts_.assign(starts->begin(), starts->end());
  if (starts_.size() != trigrams_.size() + 1 || starts_.back() != postings->size() ||
      !std::ranges::is_sorted(starts_) || !std::ranges::is_sorted(trigrams_)) {
    return table_.damaged("its lists are out of order");
  }
  file_count_ = static_cast<FileId>(expected.files);
  const std::string_view lists(postings->data(), postings->size());
  postings_.emplace(lists, block_digests(lists, kBlockBytes), kBlockBytes);
  return {};
}

std::string_view MappedTrigrams::postings(std::uint32_t trigram) const {
  const auto found = std::ranges::lower_bound(trigrams_, trigram);
  if (found == trigrams_.end() || *found != trigram) return {};
  const auto at = static_cast<std::size_t>(found - trigrams_.begin());
  return postings_->bytes().substr(starts_[at], starts_[at + 1] - starts_[at]);
}

/// Verifies a list before it is read.
bool MappedTrigrams::is_sound(std::string_view list) const {
  if (list.empty()) return true;
  const auto begin = static_cast<std::size_t>(list.data() - postings_->bytes().data());
  return postings_->recheck(begin, list.size());
}

std::vector<FileId> MappedTrigrams::all_files() const {
  std::vector<FileId> all(file_count_);
  std::iota(all.begin(), all.end(), FileId{0});
  return all;
}

/// The lists of the trigrams that every spelling of `literal` contains: those of ASCII bytes,
/// because only their other case is known here.
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

/// Ignores damaged lists.
std::vector<FileId> MappedTrigrams::candidates(std::string_view literal) const {
  std::optional<std::vector<FileId>> files;
  for (const std::string_view list : lists_of(literal)) {
    if (files && files->size() * kListBytesPerCandidate < list.size()) break;
    if (!is_sound(list)) continue;
    if (files) {
      keep_postings(*files, list);
    } else {
      files = read_postings(list, file_count_);
    }
  }
  return files ? std::move(*files) : all_files();
}

std::vector<FileId> MappedTrigrams::folding_files() const {
  const std::string_view list = postings(kFoldingFiles);
  return is_sound(list) ? read_postings(list, file_count_) : all_files();
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
