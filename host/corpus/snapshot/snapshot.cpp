#include "corpus/snapshot/snapshot.h"

#include "corpus/index/symbol_index.h"
#include "corpus/index/trigram_index.h"
#include "corpus/index/vector_index.h"
#include "corpus/index/word_index.h"
#include "corpus/snapshot/snapshot_state.h"

#include <algorithm>
#include <array>

namespace quarry::corpus {
namespace {

constexpr std::string_view kKind = "snapsht3";
constexpr const char* kFile = "snapshot";
constexpr std::size_t kMostSegments = 1024;

/// Compares a path with all paths that start with `prefix`, which are equal to each other.
int compare_to_prefix(std::string_view path, std::string_view prefix) {
  return path.substr(0, prefix.size()).compare(prefix);
}

}  // namespace

std::filesystem::path segment_directory(const std::filesystem::path& directory,
                                        std::uint32_t number) {
  return directory / ("segment-" + std::to_string(number));
}

Status write_snapshot_table(const std::filesystem::path& directory,
                            std::span<const std::uint32_t> numbers, std::span<const FileRef> files,
                            std::span<const Signature> signatures) {
  TableWriter table(kKind);
  table.append(numbers);
  table.append(files);
  table.append(signatures);
  return write_file_atomically(directory / kFile, std::move(table).finish());
}

std::shared_ptr<OpenFiles> new_open_files() {
  return std::make_shared<OpenFiles>();
}

Result<std::shared_ptr<const Snapshot>> Snapshot::open(const std::filesystem::path& directory,
                                                       OnDamage on_damage,
                                                       std::shared_ptr<OpenFiles> open_files) {
  auto table = TableFile::open(directory / kFile, kKind);
  if (!table) return std::move(table).error();
  auto state = std::make_unique<State>();
  state->directory = directory;
  state->on_damage = std::move(on_damage);
  state->open_files = open_files ? std::move(open_files) : new_open_files();
  state->table = std::move(*table);
  Status status = state->load();
  if (status) status = state->open_segments();
  if (status) status = state->mark_live();
  if (!status) return std::move(status).error();
  return std::make_shared<const Snapshot>(std::move(state));
}

Status Snapshot::State::load() {
  auto number_array = table.take_whole<std::uint32_t>();
  if (!number_array) return std::move(number_array).error();
  auto file_array = table.take_whole<FileRef>();
  if (!file_array) return std::move(file_array).error();
  auto signature_array = table.take_whole<Signature>();
  if (!signature_array) return std::move(signature_array).error();
  numbers = *number_array;
  files = *file_array;
  signatures = *signature_array;
  if (numbers.size() > kMostSegments) return table.damaged("it refers to too many segments");
  if (!signatures.empty() && signatures.size() != files.size()) {
    return table.damaged("its arrays disagree on the number of files");
  }
  return {};
}

Status Snapshot::State::open_segments() {
  const std::function<void()> on_text =
      on_damage ? [report = on_damage] { report(Damage::kText); } : std::function<void()>();
  for (const std::uint32_t number : numbers) {
    auto segment =
        Segment::open(segment_directory(directory, number), on_text, &open_files->segments);
    if (!segment) return std::move(segment).error();
    live.emplace_back((*segment)->file_count());
    segments.push_back(std::move(*segment));
  }
  trigrams = std::vector<LazyIndex<TrigramIndex>>(segments.size());
  words = std::vector<LazyIndex<WordIndex>>(segments.size());
  building.has_failed.resize(segments.size());
  symbols = std::vector<LazyIndex<SymbolIndex>>(segments.size());
  vectors = std::vector<LazyVectors>(segments.size());
  return {};
}

Status Snapshot::State::mark_live() {
  std::string_view before;
  for (const FileRef& ref : files) {
    if (ref.segment >= segments.size() || ref.file >= live[ref.segment].size()) {
      return table.damaged("it refers to a file that does not exist");
    }
    const Segment& segment = *segments[ref.segment];
    const std::string_view path = segment.path(ref.file);
    if (&ref != files.data() && before >= path) {
      return table.damaged("its files are out of order");
    }
    before = path;
    live[ref.segment][ref.file] = true;
    text_bytes += segment.text(ref.file).size();
  }
  return {};
}

Snapshot::Snapshot(std::unique_ptr<State> state) : state_(std::move(state)) {}
Snapshot::~Snapshot() = default;

std::span<const FileRef> Snapshot::files() const {
  return state_->files;
}

std::span<const std::shared_ptr<const Segment>> Snapshot::segments() const {
  return state_->segments;
}

bool Snapshot::is_live(FileRef file) const {
  return state_->live[file.segment][file.file];
}

std::string_view Snapshot::path(FileRef file) const {
  return segment(file).path(file.file);
}

const Segment& Snapshot::segment(FileRef file) const {
  return *state_->segments[file.segment];
}

std::optional<FileRef> Snapshot::find(std::string_view path) const {
  const auto project = [this](FileRef file) { return this->path(file); };
  const auto at = std::ranges::lower_bound(files(), path, {}, project);
  if (at == files().end() || this->path(*at) != path) return std::nullopt;
  return *at;
}

std::span<const FileRef> Snapshot::beneath(std::string_view path) const {
  if (path.empty()) return files();
  const std::string prefix = std::string(path) + '/';
  const auto order = [&](FileRef file) { return compare_to_prefix(this->path(file), prefix); };
  const auto first = std::ranges::lower_bound(files(), 0, {}, order);
  const auto last = std::ranges::upper_bound(files(), 0, {}, order);
  return {first, last};
}

std::uint64_t Snapshot::text_bytes() const {
  return state_->text_bytes;
}

bool Snapshot::is_damaged() const {
  return std::ranges::any_of(segments(), [](const auto& segment) { return segment->is_damaged(); });
}

const std::filesystem::path& Snapshot::directory() const {
  return state_->directory;
}

}  // namespace quarry::corpus
