#include "corpus/segment/segment_writer.h"

#include "corpus/segment/checked_bytes.h"
#include "corpus/segment/segment_format.h"
#include "corpus/segment/table_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

namespace quarry::corpus {
namespace {

constexpr std::size_t kBufferBytes = 1u << 20;

Result<Fd> create_file(const std::filesystem::path& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return system_error(path.string(), errno);
  return fd;
}

}  // namespace

LineTable line_table(std::string_view text) {
  LineTable lines;
  for (std::size_t start = 0; start < text.size(); ++lines.count) {
    if (lines.count > 0 && lines.count % kLinesPerMark == 0) {
      lines.marks.push_back(static_cast<std::uint32_t>(start));
    }
    const std::size_t end = text.find('\n', start);
    start = end == std::string_view::npos ? text.size() : end + 1;
  }
  return lines;
}

Result<SegmentWriter> SegmentWriter::create(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directory(directory, error);
  if (error) return system_error(directory.string(), error.value());
  auto text = create_file(directory / kTextFile);
  if (!text) return std::move(text).error();
  SegmentWriter writer;
  writer.directory_ = directory;
  writer.text_ = std::move(*text);
  return writer;
}

Status SegmentWriter::add(std::string_view path, FileKind kind, std::uint64_t size,
                          std::string_view text, LineTable lines) {
  records_.push_back(
      {std::string(path), kind, size, written_ + buffer_.size(), text.size(), std::move(lines)});
  Status written = write_text(text);
  return written ? write_text({"\0", 1}) : written;
}

Status SegmentWriter::write_text(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() < kBufferBytes) return {};
  return write_out(buffer_.size() / kTextBlockBytes * kTextBlockBytes);
}

Status SegmentWriter::flush() {
  return write_out(buffer_.size());
}

/// Writes the first `bytes` of the buffer: whole blocks, or the end of the text.
Status SegmentWriter::write_out(std::size_t bytes) {
  const std::string_view begin = std::string_view(buffer_).substr(0, bytes);
  std::ranges::copy(block_digests(begin, kTextBlockBytes), std::back_inserter(digests_));
  if (Status written = write_all(text_.get(), begin); !written) {
    return std::move(written).error().in((directory_ / kTextFile).string());
  }
  written_ += bytes;
  buffer_.erase(0, bytes);
  return {};
}

Result<std::shared_ptr<const Segment>> SegmentWriter::finish() && {
  Status status = flush();
  if (status && !std::ranges::is_sorted(records_, {}, &Record::path)) status = put_in_order();
  if (status && ::fsync(text_.get()) != 0) {
    status = system_error((directory_ / kTextFile).string(), errno);
  }
  if (status) status = write_tables();
  if (!status) return std::move(status).error();
  return Segment::open(directory_);
}

/// Rewrites the text in order of path, from a mapping of the first file.
Status SegmentWriter::put_in_order() {
  const std::filesystem::path path = directory_ / kTextFile;
  const auto unordered = MappedFile::open(path);
  if (!unordered) return unordered.error();
  if (::unlink(path.c_str()) != 0) return system_error(path.string(), errno);
  auto text = create_file(path);
  if (!text) return std::move(text).error();
  text_ = std::move(*text);
  written_ = 0;
  digests_.clear();
  std::ranges::sort(records_, {}, &Record::path);
  for (Record& record : records_) {
    const std::uint64_t from = std::exchange(record.start, written_ + buffer_.size());
    const Status status = write_text(unordered->bytes().substr(from, record.bytes + 1));
    if (!status) return status;
  }
  return flush();
}

Status SegmentWriter::write_tables() const {
  std::vector<std::uint64_t> text_starts, sizes;
  std::vector<std::uint32_t> path_starts, line_counts, mark_starts, marks;
  std::vector<std::uint8_t> kinds;
  std::string paths;
  for (const Record& record : records_) {
    text_starts.push_back(record.start);
    sizes.push_back(record.size);
    path_starts.push_back(static_cast<std::uint32_t>(paths.size()));
    line_counts.push_back(record.lines.count);
    mark_starts.push_back(static_cast<std::uint32_t>(marks.size()));
    marks.insert(marks.end(), record.lines.marks.begin(), record.lines.marks.end());
    kinds.push_back(static_cast<std::uint8_t>(record.kind));
    paths += record.path;
  }
  text_starts.push_back(written_);
  path_starts.push_back(static_cast<std::uint32_t>(paths.size()));
  mark_starts.push_back(static_cast<std::uint32_t>(marks.size()));

  TableWriter table(kSegmentKind);
  table.append<std::uint64_t>(text_starts);
  table.append<std::uint64_t>(sizes);
  table.append<std::uint32_t>(path_starts);
  table.append<std::uint32_t>(line_counts);
  table.append<std::uint32_t>(mark_starts);
  table.append<std::uint32_t>(marks);
  table.append<std::uint8_t>(kinds);
  table.append<char>(paths);
  table.append<std::uint64_t>(digests_);
  return write_file_atomically(directory_ / kTableFile, std::move(table).finish());
}

}  // namespace quarry::corpus
