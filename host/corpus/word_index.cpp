#include "corpus/word_index.h"

#include "base/file.h"
#include "corpus/segment_words.h"

namespace quarry::corpus {
namespace {

class MappedWordIndex final : public WordIndex {
 public:
  MappedWordIndex(MappedFile file, WordTable table) : file_(std::move(file)), table_(table) {}
  [[nodiscard]] const WordTable& table() const override { return table_; }

 private:
  MappedFile file_;
  WordTable table_;
};

}  // namespace

Status WordIndex::build(const Segment& segment, const std::filesystem::path& out,
                        Executor& executor, std::stop_token stop) {
  Result<std::string> bytes = build_word_table(documents_of(segment), nullptr, executor, stop);
  if (!bytes) return bytes.error();
  return write_file_atomically(out, *bytes);
}

Result<std::shared_ptr<const WordIndex>> WordIndex::open(const std::filesystem::path& file,
                                                         const Segment& segment) {
  Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return mapped.error();
  Result<WordTable> table = WordTable::open(mapped->bytes());
  if (!table) return std::move(table.error()).in(file.string());
  if (Status fits = check_fits(*table, segment); !fits) {
    return std::move(fits.error()).in(file.string());
  }
  return std::make_shared<const MappedWordIndex>(std::move(*mapped), *table);
}

}  // namespace quarry::corpus
