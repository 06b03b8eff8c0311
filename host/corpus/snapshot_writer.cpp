#include "base/relative_path.h"
#include "corpus/builtin_ignore.h"
#include "corpus/decode.h"
#include "corpus/pack.h"
#include "corpus/pack_limits.h"
#include "corpus/segment_writer.h"
#include "corpus/snapshot_state.h"

#include <numeric>
#include <unordered_set>

namespace quarry::corpus {

struct SnapshotWriter::State {
  std::filesystem::path directory;
  PackRules rules;
  LimitCheck limits;
  SegmentWriter segment;
  std::unordered_set<std::string> paths;
  std::string decoded;
};

SnapshotWriter::SnapshotWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SnapshotWriter::~SnapshotWriter() = default;

Result<std::unique_ptr<SnapshotWriter>> SnapshotWriter::create(
    const std::filesystem::path& directory, PackLimits limits, PackRules rules) {
  auto segment = SegmentWriter::create(segment_directory(directory, 1));
  if (!segment) return std::move(segment).error();
  return std::make_unique<SnapshotWriter>(std::make_unique<State>(
      State{directory, rules, LimitCheck(limits), std::move(*segment), {}, {}}));
}

/// The normalised path of one more file; nothing when the rules leave it out.
Result<std::optional<std::string>> SnapshotWriter::admit(std::string_view path) {
  auto normalised = normalise_relative_path(path);
  if (!normalised) return std::move(normalised).error();
  if (normalised->empty()) return Error{Code::kInvalidArgument, "a file's path is empty"};
  if (is_left_out(*normalised, state_->rules)) return std::optional<std::string>();
  if (!state_->paths.insert(*normalised).second) {
    return Error{Code::kInvalidArgument, "the path \"" + *normalised + "\" stands twice"};
  }
  Status allowed = state_->limits.add_file(*normalised);
  if (!allowed) return allowed.error();
  return std::optional(std::move(*normalised));
}

Status SnapshotWriter::list(std::string_view path, FileKind kind, std::uint64_t size) {
  const auto admitted = admit(path);
  if (!admitted) return admitted.error();
  if (!*admitted) return {};
  return state_->segment.add(**admitted, kind, size, {});
}

Status SnapshotWriter::add(std::string_view path, std::string_view bytes) {
  if (bytes.size() > state_->limits.file_bytes()) {
    return list(path, FileKind::kTooLarge, bytes.size());
  }
  const auto admitted = admit(path);
  if (!admitted) return admitted.error();
  if (!*admitted) return {};
  const auto text = decode_text(bytes, state_->decoded);
  if (!text) return state_->segment.add(**admitted, FileKind::kBinary, bytes.size(), {});
  Status allowed = state_->limits.add_text(text->size());
  if (!allowed) return allowed;
  return state_->segment.add(**admitted, FileKind::kText, bytes.size(), *text);
}

Result<std::shared_ptr<const Snapshot>> SnapshotWriter::finish() {
  const auto segment = std::move(state_->segment).finish();
  if (!segment) return segment.error();
  std::vector<FileRef> files((*segment)->file_count());
  for (FileId file = 0; file < files.size(); ++file) files[file] = {0, file};
  const std::uint32_t numbers[] = {1};
  const Status written = write_snapshot_table(state_->directory, numbers, files, {});
  if (!written) return written.error();
  return Snapshot::open(state_->directory);
}

}  // namespace quarry::corpus
