#include "corpus/index/word_table.h"

#include <bit>
#include <vector>

namespace quarry::corpus {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the file has the byte order of the machine");

Error damaged(std::string_view what) {
  return Error{Code::kInternal, "the search index is damaged: " + std::string(what),
               "Remove the file named \"words\" beside the snapshot; it is built again."};
}

}  // namespace

Result<std::size_t> WordTable::head_bytes(std::string_view bytes) {
  WordHeader header;
  if (bytes.size() < sizeof header) return damaged("it is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kWordMagic) return damaged("it is not an index of this version");
  if (header.bytes != bytes.size()) return damaged("its length is wrong");
  const std::uint64_t postings = header.sizes[static_cast<std::size_t>(WordSection::kPostings)];
  if (postings > bytes.size() - sizeof header) return damaged("a table reaches beyond its end");
  return bytes.size() - postings;
}

Result<WordTable> WordTable::open(std::string_view bytes) {
  const auto head = head_bytes(bytes);
  if (!head) return head.error();
  return open(bytes.substr(0, *head), bytes.substr(*head));
}

Result<WordTable> WordTable::open(std::string_view head, std::string_view postings) {
  WordTable table;
  if (head.size() < sizeof(WordHeader)) return damaged("it is too short");
  std::memcpy(&table.header_, head.data(), sizeof(WordHeader));
  if (Status taken = table.take_sections(head, postings); !taken) return taken.error();
  if (digest(head.substr(kCheckedFrom)) != table.header_.checksum) {
    return damaged("its checksum is wrong");
  }
  if (Status columns = table.check_columns(); !columns) return columns.error();
  return table;
}

Status WordTable::take_sections(std::string_view head, std::string_view postings) {
  constexpr auto kLast = static_cast<std::size_t>(WordSection::kPostings);
  std::array<std::string_view, kLast> sections;
  std::size_t at = sizeof(WordHeader);
  for (std::size_t i = 0; i < kLast; ++i) {
    const std::uint64_t size = header_.sizes[i];
    if (size > head.size() - at) return damaged("a table reaches beyond its end");
    sections[i] = head.substr(at, size);
    at += size;
  }
  if (at != head.size() || postings.size() != header_.sizes[kLast]) {
    return damaged("something follows its last table");
  }
  const auto section = [&](WordSection s) { return sections[static_cast<std::size_t>(s)]; };
  passage_file_ = Column<std::uint32_t>(section(WordSection::kPassageFile));
  passage_offset_ = Column<std::uint32_t>(section(WordSection::kPassageOffset));
  passage_line_ = Column<std::uint32_t>(section(WordSection::kPassageLine));
  passage_heading_ = Column<std::uint32_t>(section(WordSection::kPassageHeading));
  passage_context_ = Column<std::uint32_t>(section(WordSection::kPassageContext));
  passage_length_ = Column<std::uint16_t>(section(WordSection::kPassageLength));
  file_first_ = Column<std::uint32_t>(section(WordSection::kFileFirst));
  file_length_ = Column<std::uint32_t>(section(WordSection::kFileLength));
  file_traits_ = Column<std::uint8_t>(section(WordSection::kFileTraits));
  blocks_ = Column<WordBlock>(section(WordSection::kBlocks));
  dictionary_ = section(WordSection::kDictionary);
  const Column<std::uint64_t> digests(section(WordSection::kPostingDigests));
  if (digests.size() != (postings.size() + kPostingBlockBytes - 1) / kPostingBlockBytes) {
    return damaged("its digests do not cover its postings");
  }
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < digests.size(); ++i) values.push_back(digests[i]);
  postings_ = std::make_shared<const CheckedBytes>(postings, std::move(values), kPostingBlockBytes);
  return {};
}

Status WordTable::check_columns() const {
  const std::uint64_t passages = header_.passage_count;
  const std::uint64_t files = header_.file_count;
  const bool sizes_fit = passage_file_.size() == passages && passage_offset_.size() == passages &&
                         passage_line_.size() == passages && passage_heading_.size() == passages &&
                         passage_context_.size() == passages &&
                         passage_length_.size() == passages && file_first_.size() == files + 1 &&
                         file_length_.size() == files && file_traits_.size() == files;
  if (!sizes_fit) return damaged("its tables have different lengths");
  if (file_first_[0] != 0 || file_first_[files] != passages) return damaged("files miss passages");
  for (FileId file = 0; file < files; ++file) {
    const PassageId end = file_first_[file + 1];
    if (end < file_first_[file] || end > passages) return damaged("files are out of order");
    for (PassageId p = file_first_[file]; p < end; ++p) {
      if (passage_file_[p] != file) return damaged("a passage belongs to another file");
    }
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const WordBlock here = blocks_[i];
    if (here.dictionary > dictionary_.size() || here.postings > postings_->bytes().size()) {
      return damaged("a block of words lies outside");
    }
    if (i > 0 && here.dictionary < blocks_[i - 1].dictionary) return damaged("blocks out of order");
  }
  return {};
}

std::string_view WordTable::block(std::size_t index) const {
  const std::size_t begin = blocks_[index].dictionary;
  const std::size_t end =
      index + 1 < blocks_.size() ? blocks_[index + 1].dictionary : dictionary_.size();
  return dictionary_.substr(begin, end - begin);
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
      if (!postings_->recheck(at, bytes)) return {};
      return {.passages = static_cast<std::uint32_t>(passages),
              .files = static_cast<std::uint32_t>(files),
              .bytes = postings_->bytes().substr(at, bytes)};
    }
    at += bytes;
  }
  return {};
}

}  // namespace quarry::corpus
