#include "corpus/index/vector_part.h"

#include "corpus/segment/checked_bytes.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

namespace quarry::corpus {
namespace {

/// The header of a batch of rows.
struct BatchHeader {
  std::array<char, 8> magic;
  std::uint64_t checksum;  ///< digest() of everything after this field, rows included
  std::uint32_t rows;
  std::uint32_t dimension;
};

/// The header of a row, before its values.
struct RowHeader {
  std::uint64_t text;
  float scale;
  std::uint32_t unused;
};

constexpr std::array<char, 8> kBatchMagic = {'Q', 'V', 'B', 'A', 'T', 'C', 'H', '1'};
constexpr std::size_t kSealedBatch = offsetof(BatchHeader, rows);

template <class T>
T value_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void append_value(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The bytes of the batch at the begin of `bytes`; empty if it is not complete and undamaged.
std::string_view first_batch(std::string_view bytes) {
  if (bytes.size() < sizeof(BatchHeader)) return {};
  const auto header = value_at<BatchHeader>(bytes, 0);
  if (header.magic != kBatchMagic || header.dimension == 0 || header.dimension > kMostDimensions) {
    return {};
  }
  const std::size_t row = sizeof(RowHeader) + row_bytes(header.dimension);
  if (header.rows > (bytes.size() - sizeof header) / row) return {};
  const std::string_view batch = bytes.substr(0, sizeof header + header.rows * row);
  return digest(batch.substr(kSealedBatch)) == header.checksum ? batch : std::string_view();
}

void visit_rows(std::string_view batch, const VisitRow& visit) {
  const auto header = value_at<BatchHeader>(batch, 0);
  const std::size_t width = row_bytes(header.dimension);
  std::size_t at = sizeof header;
  for (std::uint32_t i = 0; i < header.rows; ++i) {
    const auto row = value_at<RowHeader>(batch, at);
    at += sizeof row;
    if (std::isfinite(row.scale) && row.scale >= 0) {
      visit({row.text, header.dimension, row.scale, batch.substr(at, width)});
    }
    at += width;
  }
}

/// The good batches at the begin of a file.
struct Batches {
  std::size_t bytes = 0;
  std::uint32_t dimension = 0;
};

Batches visit_batches(std::string_view bytes, const VisitRow& visit) {
  Batches good;
  for (;;) {
    const std::string_view batch = first_batch(bytes.substr(good.bytes));
    if (batch.empty()) return good;
    const auto dimension = value_at<BatchHeader>(batch, 0).dimension;
    if (good.dimension != 0 && dimension != good.dimension) return good;
    good.dimension = dimension;
    good.bytes += batch.size();
    visit_rows(batch, visit);
  }
}

}  // namespace

std::string part_file_name(std::string_view vector_file) {
  return '.' + std::string(vector_file) + ".part";
}

Status read_part(const std::filesystem::path& file, const VisitRow& visit) {
  const auto bytes = read_file(file, std::numeric_limits<std::size_t>::max());
  if (!bytes) return bytes.error();
  visit_batches(*bytes, visit);
  return {};
}

Result<VectorPart> VectorPart::open(const std::filesystem::path& file, const VisitRow& visit) {
  auto lock = FileLock::try_acquire(file, FileLock::Mode::kExclusive);
  if (!lock) return std::move(lock).error();
  Fd fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!fd) return system_error(file.string(), errno);
  const auto bytes = read_file(file, std::numeric_limits<std::size_t>::max());
  if (!bytes) return bytes.error();
  const Batches good = visit_batches(*bytes, visit);
  // A batch after a damaged one could not be found.
  if (::ftruncate(fd.get(), static_cast<off_t>(good.bytes)) != 0) {
    return system_error(file.string(), errno);
  }
  VectorPart part(std::move(fd), std::move(*lock));
  part.dimension_ = good.dimension;
  part.bytes_ = good.bytes;
  return part;
}

Status VectorPart::append(std::uint32_t dimension, std::span<const EncodedText> rows) {
  if (rows.empty()) return {};
  BatchHeader header{kBatchMagic, 0, static_cast<std::uint32_t>(rows.size()), dimension};
  std::string bytes;
  append_value(bytes, header);
  for (const EncodedText& one : rows) {
    append_value(bytes, RowHeader{one.text, one.row.scale, 0});
    bytes += one.row.values;
  }
  header.checksum = digest(std::string_view(bytes).substr(kSealedBatch));
  std::memcpy(bytes.data(), &header, sizeof header);
  if (Status written = write_all(fd_.get(), bytes); !written) {
    // Later batches must not follow a piece of this one.
    static_cast<void>(::ftruncate(fd_.get(), static_cast<off_t>(bytes_)) == 0);
    return written;
  }
  dimension_ = dimension;
  bytes_ += bytes.size();
  return {};
}

}  // namespace quarry::corpus
