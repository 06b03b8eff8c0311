#include "corpus/segment/segment.h"

#include "corpus/segment/checked_bytes.h"
#include "corpus/segment/segment_format.h"
#include "corpus/segment/table_file.h"
#include "corpus/text/display.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace quarry::corpus {

struct Segment::Tables {
  MappedFile text_file;
  TableFile table_file;
  std::optional<CheckedBytes> checked;  // the text
  std::string_view text;
  std::string_view paths;
  std::span<const std::uint64_t> text_starts;  // files + 1; the last is the end
  std::span<const std::uint64_t> sizes;        // files
  std::span<const std::uint32_t> path_starts;  // files + 1
  std::span<const std::uint32_t> line_counts;  // files
  std::span<const std::uint32_t> mark_starts;  // files + 1, into marks
  std::span<const std::uint32_t> marks;        // start of every kLinesPerMark-th line in its file
  std::span<const std::uint8_t> kinds;         // files
  std::span<const std::uint64_t> digests;      // blocks of the text

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
  [[nodiscard]] std::size_t line_start(FileId file, std::uint32_t number) const;
  static Result<std::shared_ptr<const Tables>> open(const std::filesystem::path& directory);
  [[nodiscard]] Status load();
  [[nodiscard]] Status check() const;
  [[nodiscard]] std::optional<std::string_view> flaw(std::size_t file) const;
};

namespace {

template <class T>
bool rises_from_zero_to(std::span<const T> starts, std::uint64_t end) {
  return starts.front() == 0 && starts.back() == end && std::ranges::is_sorted(starts);
}

}  // namespace

Status Segment::Tables::load() {
  std::span<const char> path_bytes;
  Status status = table_file.take_into(text_starts);
  if (status) status = table_file.take_into(sizes);
  if (status) status = table_file.take_into(path_starts);
  if (status) status = table_file.take_into(line_counts);
  if (status) status = table_file.take_into(mark_starts);
  if (status) status = table_file.take_into(marks);
  if (status) status = table_file.take_into(kinds);
  if (status) status = table_file.take_into(path_bytes);
  if (status) status = table_file.take_into(digests);
  paths = {path_bytes.data(), path_bytes.size()};
  return status;
}

/// Offset of line `number`, at most line_count, in its text; the end if the text has fewer lines.
std::size_t Segment::Tables::line_start(FileId file, std::uint32_t number) const {
  const std::string_view all = text_of(file);
  const std::uint32_t mark = (number - 1) / kLinesPerMark;
  std::size_t at = mark == 0 ? 0 : marks_of(file)[mark - 1];
  for (std::uint32_t skip = (number - 1) % kLinesPerMark; skip > 0; --skip) {
    const std::size_t newline = all.find('\n', at);
    if (newline == std::string_view::npos) return all.size();
    at = newline + 1;
  }
  return at;
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
  if (digests.size() != (text.size() + kTextBlockBytes - 1) / kTextBlockBytes) {
    return table_file.damaged("its digests do not cover the packed text");
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
  if (kinds[file] > static_cast<std::uint8_t>(FileKind::kSecret)) return "a file's kind is unknown";
  if (text_starts[file] == text_starts[file + 1]) return "a text has no end";
  const std::uint64_t bytes = text_starts[file + 1] - text_starts[file] - 1;
  const auto own = marks_of(file);
  if (line_counts[file] > bytes || own.size() != marks_for(line_counts[file])) {
    return "a file's number of lines does not match its text";
  }
  if (!std::ranges::is_sorted(own) || (!own.empty() && own.back() >= bytes)) {
    return "a file's line starts are out of order";
  }
  return std::nullopt;
}

Result<std::shared_ptr<const Segment::Tables>> Segment::Tables::open(
    const std::filesystem::path& directory) {
  auto text = MappedFile::open(directory / kTextFile);
  if (!text) return std::move(text).error();
  auto table = TableFile::open(directory / kTableFile, kSegmentKind);
  if (!table) return std::move(table).error();
  auto tables = std::make_shared<Tables>();
  tables->text_file = std::move(*text);
  tables->table_file = std::move(*table);
  tables->text = tables->text_file.bytes();
  Status status = tables->load();
  if (status) status = tables->check();
  if (!status) return std::move(status).error();
  tables->checked.emplace(tables->text, std::vector(tables->digests.begin(), tables->digests.end()),
                          kTextBlockBytes);
  return tables;
}

Result<std::shared_ptr<const Segment>> Segment::open(const std::filesystem::path& directory,
                                                     std::function<void()> on_damage,
                                                     SharedByFile<Tables>* open_tables) {
  const auto open = [&] { return Tables::open(directory); };
  auto tables = open_tables != nullptr ? open_tables->get(directory / kTextFile, open) : open();
  if (!tables) return std::move(tables).error();
  return std::make_shared<const Segment>(directory, std::move(*tables), std::move(on_damage));
}

Segment::Segment(std::filesystem::path directory, std::shared_ptr<const Tables> tables,
                 std::function<void()> on_damage)
    : directory_(std::move(directory)),
      tables_(std::move(tables)),
      on_damage_(std::move(on_damage)) {}
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
  return lines(file, number, number);
}

std::string_view Segment::lines(FileId file, std::uint32_t first, std::uint32_t last) const {
  if (first == 0 || first > last || last > line_count(file)) return {};
  const std::string_view all = text(file);
  const std::size_t begin = tables_->line_start(file, first);
  const std::size_t start = first == last ? begin : tables_->line_start(file, last);
  const std::size_t end = std::min(all.find('\n', start), all.size());
  // A text that was changed on the disk may have fewer lines than the table says.
  return begin > end ? std::string_view() : all.substr(begin, end - begin);
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

Status Segment::check(FileId file) const {
  if (report(tables_->checked->check(offset_of(file), text(file).size()))) return {};
  return damaged(file);
}

Status Segment::check_all() const {
  for (FileId file = 0; file < file_count(); ++file) {
    if (Status sound = check(file); !sound) return sound;
  }
  return {};
}

bool Segment::is_sound(FileId first, FileId last) const {
  const std::uint64_t end = offset_of(last) + text(last).size();
  return report(tables_->checked->check(offset_of(first), end - offset_of(first)));
}

/// The range of bytes comes from the table alone: from the mark before the lines to the one after.
Status Segment::recheck(FileId file, std::uint32_t first, std::uint32_t last) const {
  if (first == 0 || first > last || last > line_count(file)) return damaged(file);
  const auto marks = tables_->marks_of(file);
  const std::uint32_t before = (first - 1) / kLinesPerMark;
  const std::uint32_t after = (last - 1) / kLinesPerMark;
  const std::size_t begin = before == 0 ? 0 : marks[before - 1];
  const std::size_t end = after < marks.size() ? marks[after] : text(file).size();
  if (report(tables_->checked->recheck(offset_of(file) + begin, end - begin))) return {};
  return damaged(file);
}

Status Segment::recheck(FileId file) const {
  if (report(tables_->checked->recheck(offset_of(file), text(file).size()))) return {};
  return damaged(file);
}

std::vector<FileId> Segment::damaged_files() const {
  std::vector<FileId> files;
  for (const std::size_t block : tables_->checked->damaged_blocks()) {
    const std::size_t begin = block * kTextBlockBytes;
    const std::size_t end = std::min(begin + kTextBlockBytes, tables_->text.size());
    for (FileId file = file_at(begin); file < file_count() && offset_of(file) < end; ++file) {
      const bool again = !files.empty() && files.back() == file;
      if (!again && !text(file).empty() && offset_of(file) + text(file).size() > begin) {
        files.push_back(file);
      }
    }
  }
  return files;
}

bool Segment::is_damaged() const {
  return tables_->checked->is_damaged();
}

/// Returns `sound`; calls on_damage the first time it is false.
bool Segment::report(bool sound) const {
  if (!sound && !reported_.exchange(true) && on_damage_) on_damage_();
  return sound;
}

Error Segment::damaged(FileId file) const {
  Error error{Code::kInternal,
              '"' + shown(path(file)) + "\" cannot be read: its copy in the cache is damaged",
              "It is made again from its source; ask again in a moment."};
  return std::move(error).tagged("SnapshotDamaged");
}

const std::filesystem::path& Segment::directory() const {
  return directory_;
}

}  // namespace quarry::corpus
