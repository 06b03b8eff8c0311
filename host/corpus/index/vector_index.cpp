#include "corpus/index/vector_index.h"

#include "base/hash.h"
#include "corpus/index/passage_text.h"

#include <cmath>
#include <cstring>

namespace quarry::corpus {
namespace {

constexpr std::size_t kNameDigits = 16;
constexpr std::size_t kSealedAfterHead = offsetof(VectorHeader, bytes);

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

/// Bytes of each part of a file.
struct Layout {
  std::size_t scales;
  std::size_t texts;
  std::size_t digests;
  std::size_t rows;

  [[nodiscard]] std::size_t head() const {
    return sizeof(VectorHeader) + padded(scales) + texts + digests;
  }
};

Layout layout_of(std::size_t passages, std::uint32_t dimension) {
  const std::size_t rows = passages * row_bytes(dimension);
  const std::size_t blocks = (rows + kVectorBlockBytes - 1) / kVectorBlockBytes;
  return {passages * sizeof(float), passages * sizeof(std::uint64_t),
          blocks * sizeof(std::uint64_t), rows};
}

template <class T>
void append(std::string& out, const std::vector<T>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  out.resize(padded(out.size()));
}

std::string_view bytes_of(const VectorHeader& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

Error damaged_vectors(std::string_view how) {
  return {Code::kInternal, "the vectors are damaged: " + std::string(how),
          "Remove the file; it is built again."};
}

}  // namespace

std::string vector_file_name(std::string_view encoder_identity) {
  return "vectors-" + sha256_hex(encoder_identity).substr(0, kNameDigits);
}

std::string to_bytes(const VectorTable& table) {
  const Layout layout = layout_of(table.scales.size(), table.dimension);
  VectorHeader header{.magic = kVectorMagic,
                      .checksum = 0,
                      .bytes = layout.head() + layout.rows,
                      .places = table.places,
                      .passages = static_cast<std::uint32_t>(table.scales.size()),
                      .dimension = table.dimension,
                      .done = table.done,
                      .unused = 0};
  std::string out(bytes_of(header));
  out.reserve(header.bytes);
  append(out, table.scales);
  append(out, table.texts);
  append(out, block_digests(table.rows, kVectorBlockBytes));
  header.checksum = digest(std::string_view(out).substr(kSealedAfterHead));
  std::memcpy(out.data(), &header, sizeof header);
  return out += table.rows;
}

Result<std::shared_ptr<const VectorIndex>> VectorIndex::open(const std::filesystem::path& file) {
  auto mapped = MappedFile::open(file);
  if (!mapped) return std::move(mapped).error();
  auto index = std::make_shared<VectorIndex>();
  index->file_ = std::move(*mapped);
  if (Status taken = index->take_sections(); !taken) {
    return std::move(taken).error().in(file.string());
  }
  return std::shared_ptr<const VectorIndex>(std::move(index));
}

Status VectorIndex::take_sections() {
  const std::string_view bytes = file_.bytes();
  if (bytes.size() < sizeof header_) return damaged_vectors("they are too short");
  std::memcpy(&header_, bytes.data(), sizeof header_);
  if (header_.magic != kVectorMagic) return damaged_vectors("they are not of this version");
  if (header_.dimension > kMostDimensions || header_.done > header_.passages) {
    return damaged_vectors("a number is out of range");
  }
  const Layout layout = layout_of(header_.passages, header_.dimension);
  if (header_.bytes != bytes.size() || layout.head() + layout.rows != bytes.size()) {
    return damaged_vectors("their length is wrong");
  }
  head_ = bytes.substr(0, layout.head());
  if (digest(std::string_view(head_).substr(kSealedAfterHead)) != header_.checksum) {
    return damaged_vectors("their checksum is wrong");
  }
  std::string_view rest = std::string_view(head_).substr(sizeof header_);
  scales_ = Column<float>(rest.substr(0, layout.scales));
  rest.remove_prefix(padded(layout.scales));
  texts_ = Column<std::uint64_t>(rest.substr(0, layout.texts));
  const Column<std::uint64_t> digests(rest.substr(layout.texts));
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    if (!std::isfinite(scales_[i]) || scales_[i] < 0)
      return damaged_vectors("a scale is out of range");
  }
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < digests.size(); ++i) values.push_back(digests[i]);
  rows_ = std::make_unique<const CheckedBytes>(bytes.substr(layout.head()), std::move(values),
                                               kVectorBlockBytes);
  return {};
}

bool VectorIndex::fits(const WordTable& table) const {
  return table.passage_count() == passage_count() && places_digest(table) == header_.places;
}

bool VectorIndex::check(PassageId first, std::size_t count) const {
  const std::size_t width = row_bytes(dimension());
  return rows_->check(first * width, count * width);
}

bool VectorIndex::recheck(PassageId passage) const {
  const std::size_t width = row_bytes(dimension());
  return rows_->recheck(passage * width, width);
}

}  // namespace quarry::corpus
