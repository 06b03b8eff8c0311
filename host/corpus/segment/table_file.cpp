#include "corpus/segment/table_file.h"

#include <cstring>
#include <limits>

namespace quarry::corpus {
namespace {

constexpr std::size_t kKindBytes = 8;
constexpr std::size_t kHeaderBytes = 32;  // kind, byte order, bytes of arrays, digest of the rest
constexpr std::size_t kArrayBytesAt = 16;
constexpr std::size_t kDigestAt = 24;
constexpr std::uint64_t kByteOrder = 0x0102030405060708;
/// One page, the least that is read from a disk.
constexpr std::size_t kBlockBytes = 4u << 10;

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

void put_word(std::string& bytes, std::size_t at, std::uint64_t word) {
  std::memcpy(bytes.data() + at, &word, sizeof word);
}

void append_words(std::string& bytes, std::span<const std::uint64_t> words) {
  bytes.append(reinterpret_cast<const char*>(words.data()), words.size_bytes());
}

std::string padded_kind(std::string_view kind) {
  std::string out(kind.substr(0, kKindBytes));
  out.resize(kKindBytes, '\0');
  return out;
}

std::size_t padded_size(std::size_t size) {
  return (size + 7) / 8 * 8;
}

std::size_t blocks_of(std::size_t size) {
  return (size + kBlockBytes - 1) / kBlockBytes;
}

}  // namespace

TableWriter::TableWriter(std::string_view kind)
    : bytes_(padded_kind(kind)), array_begin_(kHeaderBytes) {
  append_words(bytes_, std::span(&kByteOrder, 1));
  bytes_.resize(kHeaderBytes, '\0');
}

void TableWriter::end_array() {
  lengths_.push_back(bytes_.size() - array_begin_);
  bytes_.resize(padded_size(bytes_.size()), '\0');
  array_begin_ = bytes_.size();
}

std::string TableWriter::finish() && {
  const std::size_t arrays = bytes_.size() - kHeaderBytes;
  put_word(bytes_, kArrayBytesAt, arrays);
  append_words(bytes_, lengths_);
  bytes_.append(blocks_of(arrays) * sizeof(std::uint64_t), '\0');
  seal_table(bytes_);
  return std::move(bytes_);
}

void seal_table(std::string& bytes) {
  const std::size_t arrays = word_at(bytes, kArrayBytesAt);
  const auto digests =
      block_digests(std::string_view(bytes).substr(kHeaderBytes, arrays), kBlockBytes);
  const std::size_t at = bytes.size() - digests.size() * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < digests.size(); ++i) put_word(bytes, at + i * 8, digests[i]);
  put_word(bytes, kDigestAt, digest(std::string_view(bytes).substr(kHeaderBytes + arrays)));
}

Result<TableFile> TableFile::open(const std::filesystem::path& path, std::string_view kind) {
  auto bytes = read_file(path, std::numeric_limits<std::size_t>::max());
  if (!bytes) return std::move(bytes).error();
  TableFile table;
  table.path_ = path;
  table.copy_ = std::move(*bytes);
  if (auto begun = table.begin(table.copy_, kind); !begun) return std::move(begun).error();
  if (!table.checked_->check(0, table.checked_->bytes().size())) {
    return table.damaged("a block has another digest");
  }
  return table;
}

Result<TableFile> TableFile::map(const std::filesystem::path& path, std::string_view kind) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file).error();
  TableFile table;
  table.path_ = path;
  table.file_ = std::move(*file);
  if (auto begun = table.begin(table.file_.bytes(), kind); !begun) return std::move(begun).error();
  return table;
}

Result<TableFile> TableFile::view(std::string_view bytes, std::string_view kind) {
  TableFile table;
  table.path_ = "a table in memory";
  if (auto begun = table.begin(bytes, kind); !begun) return std::move(begun).error();
  return table;
}

Status TableFile::begin(std::string_view bytes, std::string_view kind) {
  if (bytes.size() < kHeaderBytes || bytes.size() % 8 != 0) return damaged("it is cut short");
  if (!bytes.starts_with(padded_kind(kind)) || word_at(bytes, kKindBytes) != kByteOrder) {
    return damaged("it is not a table of the kind \"" + std::string(kind) + "\"");
  }
  const std::size_t arrays = word_at(bytes, kArrayBytesAt);
  const std::string_view after = bytes.substr(kHeaderBytes);
  if (arrays % 8 != 0 || arrays > after.size() || after.size() - arrays < blocks_of(arrays) * 8) {
    return damaged("it is cut short");
  }
  const std::string head(after.substr(arrays));  // in memory, where it no longer changes
  if (word_at(bytes, kDigestAt) != digest(head)) return damaged("its checksum does not match");
  const std::size_t lengths = head.size() / 8 - blocks_of(arrays);
  for (std::size_t i = 0; i < lengths; ++i) lengths_.push_back(word_at(head, i * 8));
  std::vector<std::uint64_t> digests;
  for (std::size_t at = lengths * 8; at < head.size(); at += 8)
    digests.push_back(word_at(head, at));
  checked_ = std::make_unique<const CheckedBytes>(after.substr(0, arrays), std::move(digests),
                                                  kBlockBytes);
  return {};
}

Result<TableFile::Place> TableFile::take_place(std::size_t width) {
  if (next_array_ == lengths_.size()) return damaged("an array is missing");
  const std::size_t length = lengths_[next_array_];
  if (length > checked_->bytes().size() - next_begin_) {
    return damaged("an array runs past the end");
  }
  if (length % width != 0) return damaged("an array has a broken length");
  const Place place{next_begin_, length};
  ++next_array_;
  // The size of all arrays is a multiple of 8, so the padding is there.
  next_begin_ += padded_size(length);
  return place;
}

Error TableFile::damaged(std::string_view how) const {
  return {Code::kInternal, path_.string() + " is damaged: " + std::string(how),
          "Remove the cached snapshot; it is built again when it is needed."};
}

}  // namespace quarry::corpus
