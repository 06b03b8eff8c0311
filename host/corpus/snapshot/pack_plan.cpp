#include "corpus/snapshot/pack_plan.h"

#include "corpus/snapshot/snapshot_state.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostSmallSegments = 8;
constexpr std::uint64_t kMostDeadPercent = 30;

struct Use {
  std::uint64_t live_files = 0;
  std::uint64_t live_bytes = 0;
};

std::uint64_t text_bytes(const Segment& segment) {
  return segment.packed_text().size() - segment.file_count();
}

}  // namespace

Matches match_previous(std::span<const TreeEntry> entries, const Snapshot* previous) {
  Matches matches(entries.size());
  if (previous == nullptr || previous->state().signatures.empty()) return matches;
  const auto files = previous->files();
  const auto signatures = previous->state().signatures;
  std::size_t at = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    while (at < files.size() && previous->path(files[at]) < entries[i].path) ++at;
    if (at == files.size()) break;
    const bool known = entries[i].signature != Signature{};
    if (known && previous->path(files[at]) == entries[i].path &&
        signatures[at] == entries[i].signature) {
      matches[i] = files[at];
    }
  }
  return matches;
}

std::vector<std::uint32_t> choose_segments(std::span<const TreeEntry> entries,
                                           const Matches& matches, const Snapshot& previous,
                                           std::uint64_t segment_bytes) {
  std::vector<FileRef> kept;
  for (const auto& match : matches) {
    if (match) kept.push_back(*match);
  }
  return choose_segments(kept, kept.size() < entries.size(), previous, segment_bytes);
}

std::vector<std::uint32_t> choose_segments(std::span<const FileRef> kept, bool has_fresh,
                                           const Snapshot& previous, std::uint64_t segment_bytes) {
  std::vector<Use> uses(previous.segments().size());
  for (const FileRef file : kept) {
    ++uses[file.segment].live_files;
    uses[file.segment].live_bytes += previous.segment(file).text(file.file).size();
  }
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint32_t> small;
  for (std::uint32_t segment = 0; segment < uses.size(); ++segment) {
    if (uses[segment].live_files == 0) continue;
    const std::uint64_t bytes = text_bytes(*previous.segments()[segment]);
    const std::uint64_t dead = bytes - uses[segment].live_bytes;
    if (dead * 100 > bytes * kMostDeadPercent) continue;
    (bytes < segment_bytes / 2 ? small : chosen).push_back(segment);
  }
  if (small.size() + (has_fresh ? 1 : 0) > kMostSmallSegments) {
    small = {*std::ranges::max_element(small, {}, [&](auto i) { return uses[i].live_bytes; })};
  }
  chosen.insert(chosen.end(), small.begin(), small.end());
  std::ranges::sort(chosen);
  return chosen;
}

std::vector<PlannedFile> plan_segment(std::span<const TreeEntry> entries, const Matches& matches,
                                      std::span<const std::uint32_t> linked) {
  std::vector<PlannedFile> planned;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& match = matches[i];
    if (match && std::ranges::find(linked, match->segment) != linked.end()) continue;
    planned.push_back({&entries[i], match});
  }
  return planned;
}

}  // namespace quarry::corpus
