#include "corpus/index/symbol_index.h"

#include "corpus/text/letter_case.h"

#include <algorithm>
#include <ranges>

namespace quarry::corpus {
namespace {

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

/// True if it is a definition of a file with `count` definitions.
bool is_sound_record(const SymbolRecord& one, std::size_t count) {
  return one.first_line >= 1 && one.first_line <= one.line && one.line <= one.last_line &&
         one.parent >= -1 && one.parent < static_cast<std::int64_t>(count);
}

}  // namespace

int compare_names(std::string_view left, std::string_view right) {
  const int folded = compare_folded(left, right);
  return folded != 0 ? folded : left.compare(right);
}

Result<SymbolIndex::Texts> SymbolIndex::take_texts() {
  Texts texts;
  Status status = table_.take_into(texts.starts);
  if (status) status = table_.take_into(texts.bytes);
  if (status && texts.starts.size() == 0) status = table_.damaged("its texts have no end");
  if (!status) return std::move(status).error();
  return texts;
}

Status SymbolIndex::load(const Segment& segment) {
  const auto shape = table_.take_whole<SymbolShape>();
  if (!shape) return shape.error();
  if (shape->size() != 1 || shape->front() != shape_of(segment)) {
    return table_.damaged("it belongs to another text");
  }
  auto names = take_texts();
  if (!names) return std::move(names).error();
  names_ = *names;
  Status status = table_.take_into(name_starts_);
  if (status) status = table_.take_into(by_name_);
  if (status) status = table_.take_into(files_);
  if (!status) return status;
  auto words = take_texts();
  if (!words) return std::move(words).error();
  words_ = *words;
  status = table_.take_into(records_);
  if (!status) return status;
  if (files_.size() != segment.file_count() + std::size_t{1} ||
      records_.size() != by_name_.size() || name_starts_.size() != names_.starts.size() ||
      (segment.file_count() == 0 && definition_count() > 0)) {
    return table_.damaged("its arrays disagree on the number of definitions");
  }
  for (FileId file = 0; file < segment.file_count(); ++file) {
    if (state(file) == SymbolState::kFailed) failed_files_.push_back(file);
  }
  if (is_damaged()) return table_.damaged("a block has another digest");
  return {};
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

CheckedArray<SymbolId> SymbolIndex::definitions_of(std::uint32_t name) const {
  return by_name_.part(name_starts_[name], name_starts_[name + 1]);
}

FileId SymbolIndex::file_of(SymbolId definition) const {
  const auto files = std::views::iota(FileId{0}, static_cast<FileId>(files_.size() - 1));
  const auto after = std::ranges::upper_bound(files, definition, {},
                                              [&](FileId file) { return first_definition(file); });
  return static_cast<FileId>(std::max<std::ptrdiff_t>(after - files.begin(), 1) - 1);
}

std::string_view SymbolIndex::kind(const SymbolRecord& record) const {
  return words_[record.kind];
}

std::optional<SymbolRecord> SymbolIndex::record(SymbolId definition) const {
  const SymbolRecord copy = records_[definition];
  // Verified after copying: these are the bytes that the index was built with.
  if (!records_.recheck(definition, 1)) return std::nullopt;
  return copy;
}

SymbolId SymbolIndex::first_definition(FileId file) const {
  return files_[file].first;
}

SymbolState SymbolIndex::state(FileId file) const {
  return static_cast<SymbolState>(
      std::min(files_[file].state, static_cast<std::uint32_t>(SymbolState::kFailed)));
}

std::string_view SymbolIndex::reader(FileId file) const {
  return words_[files_[file].reader];
}

std::optional<FileSymbols> SymbolIndex::symbols_of(FileId file) const {
  FileSymbols out{
      state(file), std::string(reader(file)), std::string(words_[files_[file].reason]), {}};
  const SymbolId begin = first_definition(file);
  const SymbolId end = first_definition(file + 1);
  for (SymbolId i = begin; i < end; ++i) {
    const auto one = record(i);
    if (!one || !is_sound_record(*one, end - begin)) return std::nullopt;
    out.definitions.push_back({std::string(kind(*one)), std::string(names_[one->name]), one->line,
                               one->first_line, one->last_line, one->parent});
  }
  if (is_damaged()) return std::nullopt;
  return out;
}

bool is_outdated(const SymbolIndex& index, const Segment& segment, const SymbolAnalyser& analyser) {
  for (FileId file = 0; file < segment.file_count(); ++file) {
    if (index.reader(file) != reader_of(analyser, segment, file)) return true;
  }
  return false;
}

}  // namespace quarry::corpus
