#include "corpus/index/symbol_index.h"

#include "corpus/text/letter_case.h"

#include <algorithm>
#include <cstring>
#include <ranges>

namespace quarry::corpus {
namespace {

/// Bytes of definitions for each digest, compared each time one is used: few, because a common name
/// has thousands of definitions all over the index.
constexpr std::size_t kRecordBlockBytes = 256;

unsigned char lower(char byte) {
  return kLowerCase[static_cast<unsigned char>(byte)];
}

/// Compares the letters in lower case.
int compare_folded(std::string_view left, std::string_view right) {
  const std::size_t common = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < common; ++i) {
    const int difference = lower(left[i]) - lower(right[i]);
    if (difference != 0) return difference;
  }
  if (left.size() == right.size()) return 0;
  return left.size() < right.size() ? -1 : 1;
}

/// Moves the next array of `table` into memory.
template <class T>
Status copy_into(TableFile& table, std::vector<T>& out) {
  auto array = table.take<T>();
  if (!array) return std::move(array).error();
  out.assign(array->begin(), array->end());
  return {};
}

bool rises_from_zero_to(std::span<const std::uint32_t> starts, std::size_t end) {
  return !starts.empty() && starts.front() == 0 && starts.back() == end &&
         std::ranges::is_sorted(starts);
}

}  // namespace

int compare_names(std::string_view left, std::string_view right) {
  const int folded = compare_folded(left, right);
  return folded != 0 ? folded : left.compare(right);
}

bool SymbolIndex::Texts::is_sound() const {
  return rises_from_zero_to(starts, bytes.size());
}

Result<SymbolIndex::Texts> SymbolIndex::take_texts() {
  Texts texts;
  Status status = copy_into(table_, texts.starts);
  if (!status) return std::move(status).error();
  auto bytes = table_.take<char>();
  if (!bytes) return std::move(bytes).error();
  texts.bytes.assign(bytes->begin(), bytes->end());
  return texts;
}

Status SymbolIndex::load(const Segment& segment) {
  const auto shape = table_.take<SymbolShape>();
  if (!shape) return shape.error();
  if (shape->size() != 1 || shape->front() != shape_of(segment)) {
    return table_.damaged("it belongs to another text");
  }
  auto names = take_texts();
  if (!names) return std::move(names).error();
  names_ = std::move(*names);
  Status status = copy_into(table_, name_starts_);
  if (status) status = copy_into(table_, by_name_);
  if (status) status = copy_into(table_, files_);
  if (!status) return status;
  auto words = take_texts();
  if (!words) return std::move(words).error();
  words_ = std::move(*words);
  const auto records = table_.take<SymbolRecord>();
  if (!records) return records.error();
  const std::string_view bytes(reinterpret_cast<const char*>(records->data()),
                               records->size_bytes());
  records_.emplace(bytes, block_digests(bytes, kRecordBlockBytes), kRecordBlockBytes);
  if (Status sound = check(segment); !sound) return sound;
  for (FileId file = 0; file < segment.file_count(); ++file) {
    if (state(file) == SymbolState::kFailed) failed_files_.push_back(file);
  }
  return {};
}

Status SymbolIndex::check(const Segment& segment) const {
  if (files_.size() != segment.file_count() + std::size_t{1} ||
      records_->bytes().size() != definition_count() * sizeof(SymbolRecord)) {
    return table_.damaged("its arrays disagree on the number of definitions");
  }
  if (!words_.is_sound() || !files_are_sound()) return table_.damaged("its files are out of order");
  if (!names_are_sound()) return table_.damaged("its names are out of order");
  if (!records_are_sound(segment)) return table_.damaged("a definition does not exist");
  return {};
}

bool SymbolIndex::files_are_sound() const {
  const auto is_sound = [&](const SymbolFileRecord& file) {
    return file.reader < words_.size() && file.reason < words_.size() &&
           file.state <= static_cast<std::uint32_t>(SymbolState::kFailed);
  };
  return files_.front().first == 0 && files_.back().first == definition_count() &&
         std::ranges::is_sorted(files_, {}, &SymbolFileRecord::first) &&
         std::ranges::all_of(files_, is_sound);
}

bool SymbolIndex::names_are_sound() const {
  if (!names_.is_sound() || name_starts_.size() != names_.starts.size() ||
      !rises_from_zero_to(name_starts_, by_name_.size())) {
    return false;
  }
  for (std::size_t i = 1; i < names_.size(); ++i) {
    if (compare_names(names_[i - 1], names_[i]) >= 0) return false;
  }
  return true;
}

/// Verifies that every definition is listed once, under its name, and lies within its file.
bool SymbolIndex::records_are_sound(const Segment& segment) const {
  for (std::uint32_t number = 0; number < names_.size(); ++number) {
    const auto listed = definitions_of(number);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (i > 0 && listed[i - 1] >= listed[i]) return false;
      if (listed[i] >= definition_count() || raw_record(listed[i]).name != number) return false;
    }
  }
  for (FileId file = 0; file < segment.file_count(); ++file) {
    const SymbolId end = files_[file + 1].first;
    const auto count = static_cast<std::int64_t>(end) - files_[file].first;
    for (SymbolId i = files_[file].first; i < end; ++i) {
      const SymbolRecord one = raw_record(i);
      if (one.name >= names_.size() || one.first_line == 0 || one.first_line > one.line ||
          one.line > one.last_line || one.last_line > segment.line_count(file) || one.parent < -1 ||
          one.parent >= count || one.kind >= words_.size()) {
        return false;
      }
    }
  }
  return true;
}

Result<std::shared_ptr<const SymbolIndex>> SymbolIndex::open(const std::filesystem::path& file,
                                                             const Segment& segment) {
  auto table = TableFile::map(file, kSymbolTable);
  if (!table) return std::move(table).error();
  auto index = std::make_shared<SymbolIndex>(std::move(*table));
  if (auto status = index->load(segment); !status) return std::move(status).error();
  return index;
}

SymbolIndex::NameRange SymbolIndex::spelled_as(std::string_view name) const {
  NameRange range = starting_with(name);
  // Among the names that begin so, those that end there come first.
  const auto end = std::ranges::partition_point(
      std::views::iota(range.begin, range.end),
      [&](std::uint32_t number) { return names_[number].size() == name.size(); });
  range.end = range.begin +
              static_cast<std::uint32_t>(end - std::views::iota(range.begin, range.end).begin());
  return range;
}

SymbolIndex::NameRange SymbolIndex::starting_with(std::string_view prefix) const {
  const auto all = std::views::iota(0u, static_cast<std::uint32_t>(names_.size()));
  const auto start = [&](std::uint32_t number) {
    return compare_folded(names_[number].substr(0, prefix.size()), prefix);
  };
  const auto begin = std::ranges::partition_point(all, [&](auto n) { return start(n) < 0; });
  const auto end = std::ranges::partition_point(all, [&](auto n) { return start(n) <= 0; });
  return {static_cast<std::uint32_t>(begin - all.begin()),
          static_cast<std::uint32_t>(end - all.begin())};
}

std::string_view SymbolIndex::name(std::uint32_t number) const {
  return names_[number];
}

std::span<const SymbolId> SymbolIndex::definitions_of(std::uint32_t name) const {
  return std::span(by_name_).subspan(name_starts_[name],
                                     name_starts_[name + 1] - name_starts_[name]);
}

FileId SymbolIndex::file_of(SymbolId definition) const {
  const auto after = std::ranges::upper_bound(files_.begin(), files_.end() - 1, definition, {},
                                              &SymbolFileRecord::first);
  return static_cast<FileId>(after - files_.begin() - 1);
}

std::string_view SymbolIndex::kind(const SymbolRecord& record) const {
  return words_[record.kind];
}

SymbolRecord SymbolIndex::raw_record(SymbolId definition) const {
  SymbolRecord record;
  std::memcpy(&record, records_->bytes().data() + definition * sizeof record, sizeof record);
  return record;
}

std::optional<SymbolRecord> SymbolIndex::record(SymbolId definition) const {
  const SymbolRecord copy = raw_record(definition);
  // Verified after copying: these are the bytes that were found sound on opening.
  if (!records_->recheck(definition * sizeof copy, sizeof copy)) return std::nullopt;
  return copy;
}

SymbolId SymbolIndex::first_definition(FileId file) const {
  return files_[file].first;
}

SymbolState SymbolIndex::state(FileId file) const {
  return static_cast<SymbolState>(files_[file].state);
}

std::string_view SymbolIndex::reader(FileId file) const {
  return words_[files_[file].reader];
}

std::optional<FileSymbols> SymbolIndex::symbols_of(FileId file) const {
  FileSymbols out{
      state(file), std::string(reader(file)), std::string(words_[files_[file].reason]), {}};
  for (SymbolId i = files_[file].first; i < files_[file + 1].first; ++i) {
    const auto one = record(i);
    if (!one) return std::nullopt;
    out.definitions.push_back({std::string(kind(*one)), std::string(names_[one->name]), one->line,
                               one->first_line, one->last_line, one->parent});
  }
  return out;
}

bool is_outdated(const SymbolIndex& index, const Segment& segment, const SymbolAnalyser& analyser) {
  for (FileId file = 0; file < segment.file_count(); ++file) {
    if (index.reader(file) != reader_of(analyser, segment, file)) return true;
  }
  return false;
}

}  // namespace quarry::corpus
