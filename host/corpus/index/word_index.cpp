#include "corpus/index/word_index.h"

#include "base/file.h"
#include "corpus/index/segment_words.h"

namespace quarry::corpus {
namespace {

class MappedWordIndex final : public WordIndex {
 public:
  MappedWordIndex(std::string head, MappedFile file, WordTable table)
      : head_(std::move(head)), file_(std::move(file)), table_(std::move(table)) {}
  [[nodiscard]] const WordTable& table() const override { return table_; }

 private:
  std::string head_;  // in memory, where it no longer changes
  MappedFile file_;   // for the postings
  WordTable table_;
};

}  // namespace

bool WordIndex::is_damaged() const {
  return table().is_damaged();
}

Status WordIndex::build(const Segment& segment, const std::filesystem::path& out,
                        Executor& executor, std::stop_token stop) {
  if (Status sound = segment.check_all(); !sound) return sound;
  Result<std::string> bytes = build_word_table(documents_of(segment), nullptr, executor, stop);
  if (!bytes) return bytes.error();
  return write_file_atomically(out, *bytes);
}

Result<std::shared_ptr<const WordIndex>> WordIndex::open(const std::filesystem::path& file,
                                                         const Segment& segment) {
  Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return mapped.error();
  const auto head_bytes = WordTable::head_bytes(mapped->bytes());
  if (!head_bytes) return Error(head_bytes.error()).in(file.string());
  std::string head(mapped->bytes().substr(0, *head_bytes));
  Result<WordTable> table = WordTable::open(head, mapped->bytes().substr(*head_bytes));
  if (!table) return std::move(table.error()).in(file.string());
  if (Status fits = check_fits(*table, segment); !fits) {
    return std::move(fits.error()).in(file.string());
  }
  return std::make_shared<const MappedWordIndex>(std::move(head), std::move(*mapped),
                                                 std::move(*table));
}

}  // namespace quarry::corpus
