#include "corpus/snapshot/pack.h"

#include "corpus/segment/link_segment.h"
#include "corpus/snapshot/beneath.h"
#include "corpus/snapshot/fresh_segments.h"
#include "corpus/snapshot/load.h"
#include "corpus/snapshot/pack_limits.h"
#include "corpus/snapshot/pack_plan.h"
#include "corpus/snapshot/scip_file.h"
#include "corpus/snapshot/snapshot_state.h"
#include "corpus/snapshot/tree_state.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

// Files are read in batches to limit contention between threads, and written a few batches at a
// time to limit memory.
constexpr std::uint64_t kBatchBytes = 1u << 20;
constexpr std::size_t kBatchFiles = 256;
constexpr std::size_t kBatchesPerThread = 4;

using Batch = std::span<const PlannedFile>;

/// Removes the next batch from the front of `files`.
Batch take_batch(Batch& files) {
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  while (count < files.size() && count < kBatchFiles && bytes < kBatchBytes) {
    bytes += files[count++].entry->signature.size;
  }
  const Batch batch = files.first(count);
  files = files.subspan(count);
  return batch;
}

class Packing {
 public:
  Packing(const Beneath& root, const Snapshot* previous, const PackLimits& limits,
          bool skip_secrets, Executor& executor, std::stop_token stop,
          const OnPackProgress& progress)
      : root_(root),
        previous_(previous),
        limits_(limits),
        skip_secrets_(skip_secrets),
        executor_(executor),
        stop_(std::move(stop)),
        progress_(progress) {}

  Result<std::shared_ptr<const Snapshot>> run(const TreeState& tree, const fs::path& out) {
    const std::span<const TreeEntry> entries = tree.entries().list;
    matches_ = match_previous(entries, previous_);
    link_segments(entries, out);
    Status status = count_linked(entries);
    FreshSegments fresh(out, previous_, limits_.segment_bytes());
    if (status) status = write_segments(entries, fresh);
    if (status && tree.has_scip()) status = keep_scip(root_, tree.entries().scip, previous_, out);
    if (status) status = write_table(entries, fresh, out);
    if (!status) return std::move(status).error();
    return Snapshot::open(out, nullptr, previous_ ? previous_->state().open_files : nullptr);
  }

 private:
  /// Links the chosen segments. The undamaged files of one that cannot be linked (another file
  /// system, its directory removed) or is known to be damaged are copied instead.
  void link_segments(std::span<const TreeEntry> entries, const fs::path& out) {
    if (previous_ == nullptr) return;
    for (const std::uint32_t segment :
         choose_segments(entries, matches_, *previous_, limits_.segment_bytes())) {
      const std::uint32_t number = previous_->state().numbers[segment];
      const fs::path from = previous_->segments()[segment]->directory();
      if (previous_->segments()[segment]->is_damaged()) continue;
      if (link_segment(from, segment_directory(out, number))) linked_.push_back(segment);
    }
  }

  [[nodiscard]] std::optional<FileRef> linked_file(std::size_t entry) const {
    const auto match = matches_[entry];
    if (!match) return std::nullopt;
    const auto at = std::ranges::find(linked_, match->segment);
    if (at == linked_.end()) return std::nullopt;
    return FileRef{static_cast<std::uint32_t>(at - linked_.begin()), match->file};
  }

  Status count_linked(std::span<const TreeEntry> entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!linked_file(i)) continue;
      Status allowed = limits_.add_file();
      const FileRef old = *matches_[i];
      if (allowed) allowed = limits_.add_text(previous_->segment(old).text(old.file).size());
      if (!allowed) return allowed;
    }
    return {};
  }

  Status write_segments(std::span<const TreeEntry> entries, FreshSegments& fresh) {
    const auto planned = plan_segment(entries, matches_, linked_);
    for (Batch rest = planned; !rest.empty();) {
      Status written = write_window(rest, fresh);
      if (!written) return written;
      if (progress_) progress_({limits_.files(), limits_.bytes()});
    }
    return fresh.finish();
  }

  Status write_window(Batch& rest, FreshSegments& fresh) {
    std::vector<Batch> batches;
    const std::size_t window = kBatchesPerThread * executor_.concurrency();
    while (batches.size() < window && !rest.empty()) batches.push_back(take_batch(rest));
    std::vector<std::vector<LoadedFile>> loaded(batches.size());
    parallel_for(executor_, batches.size(), [&](std::size_t i) { loaded[i] = load(batches[i]); });
    if (stop_.stop_requested()) return Error{Code::kCancelled, "the pack was cancelled"};
    for (std::size_t i = 0; i < batches.size(); ++i) {
      Status written = write(batches[i], loaded[i], fresh);
      if (!written) return written;
    }
    return {};
  }

  std::vector<LoadedFile> load(Batch batch) const {
    std::vector<LoadedFile> loaded;
    for (const PlannedFile& file : batch) {
      if (stop_.stop_requested()) return {};
      loaded.push_back(load(file));
    }
    return loaded;
  }

  LoadedFile load(const PlannedFile& file) const {
    if (const auto from = file.copy_from) {
      if (auto copy = copy_file(previous_->segment(*from), from->file)) return std::move(*copy);
    }
    return load_file(root_, *file.entry, limits_.file_bytes(), skip_secrets_);
  }

  Status write(Batch batch, std::vector<LoadedFile>& loaded, FreshSegments& fresh) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::string& path = batch[i].entry->path;
      LoadedFile& file = loaded[i];
      Status status = limits_.add_file();
      if (status) status = limits_.add_text(file.text.size());
      if (status) status = fresh.add(path, file.kind, file.size, file.text, std::move(file.lines));
      if (!status) return status;
    }
    return {};
  }

  Status write_table(std::span<const TreeEntry> entries, const FreshSegments& fresh,
                     const fs::path& out) const {
    std::vector<FileRef> files;
    std::vector<Signature> signatures;
    FileRef next{0, 0};  // of the fresh segments, whose files are in order of path
    for (std::size_t i = 0; i < entries.size(); ++i) {
      signatures.push_back(entries[i].signature);
      if (const auto linked = linked_file(i)) {
        files.push_back(*linked);
        continue;
      }
      const Segment& segment = *fresh.segments()[next.segment];
      // The next pack retries an unreadable file even if its signature is the same.
      if (segment.kind(next.file) == FileKind::kUnreadable) signatures.back() = {};
      files.push_back({static_cast<std::uint32_t>(linked_.size()) + next.segment, next.file});
      if (++next.file == segment.file_count()) next = {next.segment + 1, 0};
    }
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t segment : linked_) {
      numbers.push_back(previous_->state().numbers[segment]);
    }
    for (std::size_t i = 0; i < fresh.segments().size(); ++i) numbers.push_back(fresh.number(i));
    return write_snapshot_table(out, numbers, files, signatures);
  }

  const Beneath& root_;
  const Snapshot* previous_;
  LimitCheck limits_;
  const bool skip_secrets_;
  Executor& executor_;
  std::stop_token stop_;
  const OnPackProgress& progress_;
  Matches matches_;                    // by entry
  std::vector<std::uint32_t> linked_;  // segments of previous_
};

}  // namespace

Result<std::shared_ptr<const Snapshot>> pack_directory(const fs::path& root, const TreeState& tree,
                                                       const Snapshot* previous,
                                                       const fs::path& out,
                                                       const PackLimits& limits, Executor& executor,
                                                       std::stop_token stop,
                                                       const OnPackProgress& progress) {
  const auto beneath = Beneath::open(root);
  if (!beneath) return beneath.error();
  return Packing(*beneath, previous, limits, tree.entries().skip_secrets, executor, std::move(stop),
                 progress)
      .run(tree, out);
}

}  // namespace quarry::corpus
