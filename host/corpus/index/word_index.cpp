#include "corpus/index/word_index.h"

#include "base/file.h"
#include "corpus/index/segment_words.h"

namespace quarry::corpus {
namespace {

class MappedWordIndex final : public WordIndex {
 public:
  explicit MappedWordIndex(WordTable table) : table_(std::move(table)) {}
  [[nodiscard]] const WordTable& table() const override { return table_; }

 private:
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
  Result<TableFile> mapped = TableFile::map(file, kWordTable);
  if (!mapped) return mapped.error();
  Result<WordTable> table = WordTable::open(std::move(*mapped));
  if (!table) return table.error();
  if (Status fits = check_fits(*table, segment); !fits) return std::move(fits).error();
  return std::make_shared<const MappedWordIndex>(std::move(*table));
}

}  // namespace quarry::corpus
