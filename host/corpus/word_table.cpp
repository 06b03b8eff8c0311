#include "corpus/word_table.h"

#include <bit>

namespace quarry::corpus {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is written as memory lies");

Error damaged(std::string_view what) {
  return Error{Code::kInternal, "the search index is damaged: " + std::string(what),
               "Remove the file named \"words\" beside the snapshot; it is built again."};
}

constexpr std::size_t kSectionCount = static_cast<std::size_t>(WordSection::kCount);

}  // namespace

std::uint64_t word_checksum(std::string_view bytes) {
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  const auto mix = [](std::uint64_t lane, std::uint64_t value) {
    return std::rotl(lane ^ value * 0x9E3779B97F4A7C15u, 27) * 0xD6E8FEB86659FD93u;
  };
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (int i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], words[i]);
  }
  for (; at < bytes.size(); ++at) lanes[0] = mix(lanes[0], static_cast<unsigned char>(bytes[at]));
  return mix(mix(lanes[0], lanes[1]), mix(lanes[2], lanes[3]) + bytes.size());
}

Result<WordTable> WordTable::open(std::string_view bytes) {
  WordTable table;
  if (bytes.size() < sizeof(WordHeader)) return damaged("it is too short");
  std::memcpy(&table.header_, bytes.data(), sizeof(WordHeader));
  if (table.header_.magic != kWordMagic) return damaged("it is no index of this version");
  if (table.header_.bytes != bytes.size()) return damaged("its length is wrong");
  if (Status taken = table.take_sections(bytes); !taken) return taken.error();
  const std::size_t checked = offsetof(WordHeader, checksum) + sizeof(std::uint64_t);
  const std::string_view covered =
      bytes.substr(checked, bytes.size() - table.postings_.size() - checked);
  if (word_checksum(covered) != table.header_.checksum) return damaged("its checksum is wrong");
  if (Status columns = table.check_columns(); !columns) return columns.error();
  return table;
}

Status WordTable::take_sections(std::string_view bytes) {
  std::array<std::string_view, kSectionCount> sections;
  std::size_t at = sizeof(WordHeader);
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    const std::uint64_t size = header_.sizes[i];
    if (size > bytes.size() - at) return damaged("a table reaches beyond its end");
    sections[i] = bytes.substr(at, size);
    at += size;
  }
  if (at != bytes.size()) return damaged("something follows its last table");
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
  postings_ = section(WordSection::kPostings);
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
    if (here.dictionary > dictionary_.size() || here.postings > postings_.size()) {
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
    if (name > term || at > postings_.size() || bytes > postings_.size() - at) return {};
    if (name == term) {
      return {.passages = static_cast<std::uint32_t>(passages),
              .files = static_cast<std::uint32_t>(files),
              .bytes = postings_.substr(at, bytes)};
    }
    at += bytes;
  }
  return {};
}

}  // namespace quarry::corpus
