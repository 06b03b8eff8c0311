#include "corpus/index/word_table.h"

#include <string>
#include <utility>

namespace quarry::corpus {
Result<WordTable> WordTable::open(std::string_view bytes) {
  auto table = TableFile::view(bytes, kWordTable);
  if (!table) return std::move(table).error();
  return open(std::move(*table));
}

Result<WordTable> WordTable::open(TableFile table) {
  WordTable out;
  out.table_ = std::make_shared<TableFile>(std::move(table));
  if (Status taken = out.take_arrays(); !taken) return std::move(taken).error();
  if (!out.sizes_fit()) return out.damaged("its arrays have different lengths");
  return out;
}

Status WordTable::take_arrays() {
  std::span<const WordShape> shape;
  Status status = table_->take_into(shape);
  if (status && shape.size() != 1) status = damaged("it does not tell its size");
  if (!status) return status;
  shape_ = shape.front();
  status = table_->take_into(passage_file_);
  if (status) status = table_->take_into(passage_offset_);
  if (status) status = table_->take_into(passage_line_);
  if (status) status = table_->take_into(passage_heading_);
  if (status) status = table_->take_into(passage_context_);
  if (status) status = table_->take_into(passage_length_);
  if (status) status = table_->take_into(file_first_);
  if (status) status = table_->take_into(file_length_);
  if (status) status = table_->take_into(file_traits_);
  if (status) status = table_->take_into(blocks_);
  if (status) status = table_->take_into(dictionary_);
  if (status) status = table_->take_into(postings_);
  return status;
}

bool WordTable::sizes_fit() const {
  const std::uint64_t passages = shape_.passages;
  const std::uint64_t files = shape_.files;
  return passage_file_.size() == passages && passage_offset_.size() == passages &&
         passage_line_.size() == passages && passage_heading_.size() == passages &&
         passage_context_.size() == passages && passage_length_.size() == passages &&
         file_first_.size() == files + 1 && file_length_.size() == files &&
         file_traits_.size() == files && (files > 0 || passages == 0);
}

PassageRange WordTable::passages_of(FileId file) const {
  const PassageId begin = std::min(file_first_[file], passage_count());
  return {begin, std::clamp(file_first_[file + 1], begin, passage_count())};
}

std::string_view WordTable::block(std::size_t index) const {
  const std::size_t end =
      index + 1 < blocks_.size() ? blocks_[index + 1].dictionary : dictionary_.size();
  return dictionary_.part(blocks_[index].dictionary, end).text();
}

TermPostings WordTable::find(std::string_view term) const {
  std::size_t low = 0;
  std::size_t high = blocks_.size();
  while (low < high) {  // the first block whose first term is greater
    const std::size_t middle = (low + high) / 2;
    ByteReader reader(block(middle));
    reader.byte();
    const std::string_view first = reader.take(reader.byte());
    if (first <= term) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return {};
  ByteReader reader(block(low - 1));
  std::uint64_t at = blocks_[low - 1].postings;
  std::string name;
  while (!reader.at_end()) {
    const std::size_t shared = reader.byte();
    const std::string_view rest = reader.take(reader.byte());
    const std::uint64_t passages = reader.varint();
    const std::uint64_t files = reader.varint();
    const std::uint64_t bytes = reader.varint();
    if (!reader.ok() || shared > name.size()) return {};
    name.resize(shared);
    name += rest;
    if (name > term) return {};
    if (name == term) {
      if (!postings_.recheck(at, bytes)) return {};
      return {.passages = static_cast<std::uint32_t>(passages),
              .files = static_cast<std::uint32_t>(files),
              .bytes = postings_.part(at, at + bytes).text()};
    }
    at += bytes;
  }
  return {};
}

}  // namespace quarry::corpus
