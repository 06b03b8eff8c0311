#include "corpus/segment/table_file.h"

#include "corpus/segment/checked_bytes.h"

#include <cstring>
#include <limits>

namespace quarry::corpus {
namespace {

constexpr std::size_t kKindBytes = 8;
constexpr std::size_t kHeaderBytes = 24;  // kind, byte order, checksum
constexpr std::uint64_t kByteOrder = 0x0102030405060708;

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

std::uint64_t checksum(std::string_view bytes) {
  return digest(bytes.substr(kHeaderBytes));
}

std::string padded_kind(std::string_view kind) {
  std::string out(kind.substr(0, kKindBytes));
  out.resize(kKindBytes, '\0');
  return out;
}

}  // namespace

TableWriter::TableWriter(std::string_view kind) : bytes_(padded_kind(kind)) {
  bytes_.append(reinterpret_cast<const char*>(&kByteOrder), sizeof kByteOrder);
  bytes_.append(8, '\0');
}

void TableWriter::append_bytes(std::string_view bytes) {
  const std::uint64_t length = bytes.size();
  bytes_.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes_.append(bytes);
  bytes_.append((8 - bytes.size() % 8) % 8, '\0');
}

std::string TableWriter::finish() && {
  seal_table(bytes_);
  return std::move(bytes_);
}

void seal_table(std::string& bytes) {
  const std::uint64_t sum = checksum(bytes);
  std::memcpy(bytes.data() + kHeaderBytes - 8, &sum, sizeof sum);
}

Result<TableFile> TableFile::open(const std::filesystem::path& path, std::string_view kind) {
  auto bytes = read_file(path, std::numeric_limits<std::size_t>::max());
  if (!bytes) return std::move(bytes).error();
  TableFile table;
  table.path_ = path;
  table.copy_ = std::move(*bytes);
  if (auto begun = table.begin(table.copy_, kind); !begun) return std::move(begun).error();
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

Status TableFile::begin(std::string_view bytes, std::string_view kind) {
  if (bytes.size() < kHeaderBytes || bytes.size() % 8 != 0) return damaged("it is cut short");
  if (!bytes.starts_with(padded_kind(kind)) || word_at(bytes, kKindBytes) != kByteOrder) {
    return damaged("it is not a table of the kind \"" + std::string(kind) + "\"");
  }
  if (word_at(bytes, kHeaderBytes - 8) != checksum(bytes)) {
    return damaged("its checksum does not match");
  }
  rest_ = bytes.substr(kHeaderBytes);
  return {};
}

Result<std::string_view> TableFile::take_bytes() {
  if (rest_.size() < 8) return damaged("an array is missing");
  const std::uint64_t length = word_at(rest_, 0);
  if (length > rest_.size() - 8) return damaged("an array runs past the end");
  const std::string_view bytes = rest_.substr(8, length);
  // The file's size is a multiple of 8, so the padding is there.
  rest_.remove_prefix(8 + (length + 7) / 8 * 8);
  return bytes;
}

Error TableFile::damaged(std::string_view how) const {
  return {Code::kInternal, path_.string() + " is damaged: " + std::string(how),
          "Remove the cached snapshot; it is built again when it is needed."};
}

}  // namespace quarry::corpus
