#include "base/relative_path.h"
#include "corpus/scip/scip_index.h"
#include "corpus/segment/link_segment.h"
#include "corpus/snapshot/builtin_ignore.h"
#include "corpus/snapshot/fresh_segments.h"
#include "corpus/snapshot/load.h"
#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/pack_limits.h"
#include "corpus/snapshot/pack_plan.h"
#include "corpus/snapshot/scip_file.h"
#include "corpus/snapshot/snapshot_state.h"
#include "corpus/text/decode.h"
#include "corpus/text/private_key.h"

#include <algorithm>
#include <set>
#include <utility>

namespace quarry::corpus {

namespace {

/// A file that is unchanged since the previous snapshot.
struct Kept {
  std::string path;
  FileRef before;
};

}  // namespace

struct SnapshotWriter::State {
  std::filesystem::path directory;
  PackRules rules;
  LimitCheck limits;
  std::shared_ptr<const Snapshot> previous;
  FreshSegments fresh;
  bool has_fresh = false;
  std::vector<Kept> kept;
  std::set<std::string> paths;  // not by hashes, which a source could make equal
  std::string decoded;
  std::optional<std::string> scip;  ///< the bytes of kScipSource
  std::uint64_t left_out = 0;
  std::uint32_t secrets = 0;

  Status write(const std::string& path, FileKind kind, std::uint64_t size, std::string_view text);
  std::vector<std::uint32_t> link_segments();
  Status copy_unlinked(const std::vector<std::uint32_t>& linked);
  Status write_table(const std::vector<std::uint32_t>& linked) const;
};

Status SnapshotWriter::State::write(const std::string& path, FileKind kind, std::uint64_t size,
                                    std::string_view text) {
  has_fresh = true;
  return fresh.add(path, kind, size, text, line_table(text));
}

/// Links the chosen segments of the previous snapshot; returns their positions there.
std::vector<std::uint32_t> SnapshotWriter::State::link_segments() {
  std::vector<std::uint32_t> linked;
  if (kept.empty()) return linked;
  std::vector<FileRef> files;
  for (const Kept& file : kept) files.push_back(file.before);
  for (const auto segment : choose_segments(files, has_fresh, *previous, limits.segment_bytes())) {
    const auto to = segment_directory(directory, previous->state().numbers[segment]);
    if (previous->segments()[segment]->is_damaged()) continue;
    if (link_segment(previous->segments()[segment]->directory(), to)) linked.push_back(segment);
  }
  return linked;
}

Status SnapshotWriter::State::copy_unlinked(const std::vector<std::uint32_t>& linked) {
  for (const Kept& file : kept) {
    if (std::ranges::find(linked, file.before.segment) != linked.end()) continue;
    const auto copy = copy_file(previous->segment(file.before), file.before.file);
    if (!copy) return copy.error();
    Status written = write(file.path, copy->kind, copy->size, copy->text);
    if (!written) return written;
  }
  return {};
}

/// Lists the linked segments first, then the fresh ones.
Status SnapshotWriter::State::write_table(const std::vector<std::uint32_t>& linked) const {
  std::vector<std::uint32_t> numbers;
  std::vector<std::pair<std::string_view, FileRef>> files;
  for (const auto number : linked) numbers.push_back(previous->state().numbers[number]);
  for (const Kept& file : kept) {
    const auto at = std::ranges::find(linked, file.before.segment);
    if (at == linked.end()) continue;
    const auto index = static_cast<std::uint32_t>(at - linked.begin());
    files.push_back({file.path, {index, file.before.file}});
  }
  for (std::size_t i = 0; i < fresh.segments().size(); ++i) {
    const auto at = static_cast<std::uint32_t>(numbers.size());
    const Segment& segment = *fresh.segments()[i];
    for (FileId id = 0; id < segment.file_count(); ++id) {
      files.push_back({segment.path(id), {at, id}});
    }
    numbers.push_back(fresh.number(i));
  }
  std::ranges::sort(files, {}, [](const auto& file) { return file.first; });
  std::vector<FileRef> references;
  for (const auto& [path, file] : files) references.push_back(file);
  return write_snapshot_table(directory, numbers, references, {});
}

SnapshotWriter::SnapshotWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SnapshotWriter::~SnapshotWriter() = default;

Result<std::unique_ptr<SnapshotWriter>> SnapshotWriter::create(
    const std::filesystem::path& directory, PackLimits limits, PackRules rules,
    std::shared_ptr<const Snapshot> previous) {
  FreshSegments fresh(directory, previous.get(), limits.segment_bytes);
  auto state = std::make_unique<State>(State{directory,
                                             rules,
                                             LimitCheck(limits),
                                             std::move(previous),
                                             std::move(fresh),
                                             false,
                                             {},
                                             {},
                                             {},
                                             {},
                                             0});
  Status begun = state->previous ? Status() : state->fresh.begin();
  if (!begun) return std::move(begun).error();
  return std::make_unique<SnapshotWriter>(std::move(state));
}

/// The normalised path of one more file; nullopt if the rules or the limits of paths exclude it.
Result<std::optional<std::string>> SnapshotWriter::admit(std::string_view path) {
  if (!LimitCheck::can_be_read(path)) {
    ++state_->left_out;
    return std::optional<std::string>();
  }
  auto normalised = normalise_relative_path(path);
  if (!normalised) return std::move(normalised).error();
  if (normalised->empty()) return Error{Code::kInvalidArgument, "a file's path is empty"};
  const LeftOut left_out = is_left_out(*normalised, state_->rules);
  if (left_out == LeftOut::kSecret) ++state_->secrets;
  if (left_out != LeftOut::kNo) return std::optional<std::string>();
  if (!state_->limits.fits(*normalised)) {
    ++state_->left_out;
    return std::optional<std::string>();
  }
  if (!state_->paths.insert(*normalised).second) {
    return Error{Code::kInvalidArgument, "the path \"" + *normalised + "\" was added twice"};
  }
  Status allowed = state_->limits.add_file();
  if (!allowed) return allowed.error();
  return std::optional(std::move(*normalised));
}

Status SnapshotWriter::list(std::string_view path, FileKind kind, std::uint64_t size) {
  const auto admitted = admit(path);
  if (!admitted) return admitted.error();
  if (!*admitted) return {};
  return take(**admitted, kind, size, {});
}

Status SnapshotWriter::take(const std::string& path, FileKind kind, std::uint64_t size,
                            std::string_view text) {
  const auto before = state_->previous ? state_->previous->find(path) : std::nullopt;
  if (before) {
    const Segment& segment = state_->previous->segment(*before);
    const FileId id = before->file;
    if (segment.kind(id) == kind && segment.size(id) == size && segment.text(id) == text &&
        segment.check(id)) {
      state_->kept.push_back({path, *before});
      return {};
    }
  }
  return state_->write(path, kind, size, text);
}

Status SnapshotWriter::add(std::string_view path, std::string_view bytes) {
  if (bytes.size() > state_->limits.file_bytes()) {
    return list(path, FileKind::kTooLarge, bytes.size());
  }
  const auto admitted = admit(path);
  if (!admitted) return admitted.error();
  if (!*admitted) return {};
  if (**admitted == kScipSource) state_->scip = bytes;
  const auto text = decode_file(**admitted, bytes, state_->decoded);
  if (!text) return take(**admitted, FileKind::kBinary, bytes.size(), {});
  if (state_->rules.skip_secrets && holds_private_key(*text)) {
    ++state_->secrets;
    return take(**admitted, FileKind::kSecret, bytes.size(), {});
  }
  Status allowed = state_->limits.add_text(text->size());
  if (!allowed) return allowed;
  return take(**admitted, FileKind::kText, bytes.size(), *text);
}

std::uint64_t SnapshotWriter::left_out() const {
  return state_->left_out;
}

std::uint32_t SnapshotWriter::secrets() const {
  return state_->secrets;
}

Result<std::shared_ptr<const Snapshot>> SnapshotWriter::finish() {
  const auto linked = state_->link_segments();
  Status status = state_->copy_unlinked(linked);
  if (!status) return std::move(status).error();
  status = state_->fresh.finish();
  if (status && state_->scip) status = keep_scip(*state_->scip, state_->directory);
  if (status) status = state_->write_table(linked);
  if (!status) return std::move(status).error();
  return Snapshot::open(state_->directory, nullptr,
                        state_->previous ? state_->previous->state().open_files : nullptr);
}

}  // namespace quarry::corpus
