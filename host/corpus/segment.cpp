#include "corpus/segment.h"

#include "corpus/segment_format.h"
#include "corpus/table_file.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace quarry::corpus {

struct Segment::Tables {
  std::filesystem::path directory;
  MappedFile text_file;
  TableFile table_file;
  std::string_view text;
  std::string_view paths;
  std::span<const std::uint64_t> text_starts;  // files + 1; the last is the end
  std::span<const std::uint64_t> sizes;        // files
  std::span<const std::uint32_t> path_starts;  // files + 1
  std::span<const std::uint32_t> line_counts;  // files
  std::span<const std::uint32_t> mark_starts;  // files + 1, into marks
  std::span<const std::uint32_t> marks;        // start of each kLinesPerMark-th line in its file
  std::span<const std::uint8_t> kinds;         // files

  [[nodiscard]] std::size_t files() const { return kinds.size(); }
  [[nodiscard]] std::string_view path(std::size_t file) const {
    return paths.substr(path_starts[file], path_starts[file + 1] - path_starts[file]);
  }
  [[nodiscard]] std::string_view text_of(std::size_t file) const {
    return text.substr(text_starts[file], text_starts[file + 1] - text_starts[file] - 1);
  }
  [[nodiscard]] std::span<const std::uint32_t> marks_of(std::size_t file) const {
    return marks.subspan(mark_starts[file], mark_starts[file + 1] - mark_starts[file]);
  }
  [[nodiscard]] Status load();
  [[nodiscard]] Status check() const;
  [[nodiscard]] std::optional<std::string_view> flaw(std::size_t file) const;
};

namespace {

/// Moves the next array of `table` into `out`.
template <class T>
Status take_into(TableFile& table, std::span<const T>& out) {
  auto array = table.take<T>();
  if (!array) return std::move(array).error();
  out = *array;
  return {};
}

template <class T>
bool rises_from_zero_to(std::span<const T> starts, std::uint64_t end) {
  return starts.front() == 0 && starts.back() == end && std::ranges::is_sorted(starts);
}

}  // namespace

Status Segment::Tables::load() {
  std::span<const char> path_bytes;
  Status status = take_into(table_file, text_starts);
  if (status) status = take_into(table_file, sizes);
  if (status) status = take_into(table_file, path_starts);
  if (status) status = take_into(table_file, line_counts);
  if (status) status = take_into(table_file, mark_starts);
  if (status) status = take_into(table_file, marks);
  if (status) status = take_into(table_file, kinds);
  if (status) status = take_into(table_file, path_bytes);
  paths = {path_bytes.data(), path_bytes.size()};
  return status;
}

Status Segment::Tables::check() const {
  const std::size_t count = files();
  if (text_starts.size() != count + 1 || path_starts.size() != count + 1 ||
      mark_starts.size() != count + 1 || sizes.size() != count || line_counts.size() != count) {
    return table_file.damaged("its arrays disagree on the number of files");
  }
  if (!rises_from_zero_to(text_starts, text.size())) {
    return table_file.damaged("its texts do not fill the packed text");
  }
  if (!rises_from_zero_to(path_starts, paths.size()) ||
      !rises_from_zero_to(mark_starts, marks.size())) {
    return table_file.damaged("an offset is out of order");
  }
  for (std::size_t file = 0; file < count; ++file) {
    if (const auto how = flaw(file)) return table_file.damaged(*how);
  }
  return {};
}

std::optional<std::string_view> Segment::Tables::flaw(std::size_t file) const {
  if (file > 0 && path(file - 1) >= path(file)) return "its paths are out of order";
  if (kinds[file] > static_cast<std::uint8_t>(FileKind::kLink)) return "a file's kind is unknown";
  if (text_starts[file] == text_starts[file + 1]) return "a text has no end";
  const std::uint64_t bytes = text_starts[file + 1] - text_starts[file] - 1;
  const auto own = marks_of(file);
  if (line_counts[file] > bytes || own.size() != marks_for(line_counts[file])) {
    return "a file's number of lines does not fit its text";
  }
  if (!std::ranges::is_sorted(own) || (!own.empty() && own.back() >= bytes)) {
    return "a file's line starts are out of order";
  }
  return std::nullopt;
}

Result<std::shared_ptr<const Segment>> Segment::open(const std::filesystem::path& directory) {
  auto text = MappedFile::open(directory / kTextFile);
  if (!text) return std::move(text).error();
  auto table = TableFile::open(directory / kTableFile, kSegmentKind);
  if (!table) return std::move(table).error();
  auto tables = std::make_unique<Tables>();
  tables->directory = directory;
  tables->text_file = std::move(*text);
  tables->table_file = std::move(*table);
  tables->text = tables->text_file.bytes();
  Status status = tables->load();
  if (status) status = tables->check();
  if (!status) return std::move(status).error();
  return std::make_shared<const Segment>(std::move(tables));
}

Segment::Segment(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
Segment::~Segment() = default;

FileId Segment::file_count() const {
  return static_cast<FileId>(tables_->files());
}

std::string_view Segment::path(FileId file) const {
  return tables_->path(file);
}

FileKind Segment::kind(FileId file) const {
  return static_cast<FileKind>(tables_->kinds[file]);
}

std::uint64_t Segment::size(FileId file) const {
  return tables_->sizes[file];
}

std::string_view Segment::text(FileId file) const {
  return tables_->text_of(file);
}

std::uint32_t Segment::line_count(FileId file) const {
  return tables_->line_counts[file];
}

std::string_view Segment::line(FileId file, std::uint32_t number) const {
  if (number == 0 || number > line_count(file)) return {};
  const std::uint32_t mark = (number - 1) / kLinesPerMark;
  std::string_view rest = text(file);
  if (mark > 0) rest.remove_prefix(tables_->marks_of(file)[mark - 1]);
  for (std::uint32_t skip = (number - 1) % kLinesPerMark; skip > 0; --skip) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  return rest.substr(0, rest.find('\n'));
}

std::uint32_t Segment::line_of(FileId file, std::uint64_t offset) const {
  const std::string_view all = text(file);
  offset = std::min<std::uint64_t>(offset, all.size());
  const auto marks = tables_->marks_of(file);
  const auto after = std::ranges::upper_bound(marks, offset);
  const auto mark = static_cast<std::size_t>(after - marks.begin());
  const std::size_t from = mark == 0 ? 0 : marks[mark - 1];
  const auto newlines = std::count(all.begin() + static_cast<std::ptrdiff_t>(from),
                                   all.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  return static_cast<std::uint32_t>(mark * kLinesPerMark + static_cast<std::size_t>(newlines) + 1);
}

std::string_view Segment::packed_text() const {
  return tables_->text;
}

FileId Segment::file_at(std::uint64_t offset) const {
  const auto& starts = tables_->text_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end() - 1, offset);
  return static_cast<FileId>(after - starts.begin() - 1);
}

std::uint64_t Segment::offset_of(FileId file) const {
  return tables_->text_starts[file];
}

const std::filesystem::path& Segment::directory() const {
  return tables_->directory;
}

}  // namespace quarry::corpus
