#include "corpus/snapshot/fresh_segments.h"

#include "corpus/snapshot/snapshot_state.h"

#include <algorithm>
#include <utility>

namespace quarry::corpus {
namespace {

std::uint32_t number_after(const Snapshot* previous) {
  if (previous == nullptr || previous->state().numbers.empty()) return 1;
  return std::ranges::max(previous->state().numbers) + 1;
}

}  // namespace

FreshSegments::FreshSegments(std::filesystem::path directory, const Snapshot* previous,
                             std::uint64_t segment_bytes)
    : directory_(std::move(directory)),
      first_number_(number_after(previous)),
      segment_bytes_(segment_bytes) {}

Status FreshSegments::begin() {
  if (writer_) return {};
  auto writer = SegmentWriter::create(segment_directory(directory_, number(ended_.size())));
  if (!writer) return std::move(writer).error();
  writer_.emplace(std::move(*writer));
  return {};
}

Status FreshSegments::add(std::string_view path, FileKind kind, std::uint64_t size,
                          std::string_view text, LineTable lines) {
  Status status = begin();
  if (status) status = writer_->add(path, kind, size, text, std::move(lines));
  written_ += text.size();
  if (status && written_ >= segment_bytes_) status = finish();
  return status;
}

Status FreshSegments::finish() {
  if (!writer_) return {};
  auto segment = std::move(*writer_).finish();
  writer_.reset();
  written_ = 0;
  if (!segment) return std::move(segment).error();
  ended_.push_back(std::move(*segment));
  return {};
}

}  // namespace quarry::corpus
