#include "corpus/query/grep_plan.h"

#include "corpus/index/trigram_index.h"
#include "corpus/query/location.h"
#include "corpus/text/glob.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr std::uint64_t kFirstPiece = 64u << 10;
constexpr std::uint64_t kLargestPiece = 1u << 20;

/// Divides files, added in order, into runs and pieces.
class Planner {
 public:
  void add(std::uint32_t source, const Segment& segment, FileRef ref) {
    if (bytes_ >= target_) {
      pieces_.emplace_back();
      bytes_ = 0;
      target_ = std::min(target_ * 2, kLargestPiece);
    }
    GrepPiece& piece = pieces_.back();
    bytes_ += segment.text(ref.file).size();
    if (!piece.empty() && piece.back().source == source && piece.back().segment == ref.segment &&
        piece.back().last + 1 == ref.file) {
      piece.back().last = ref.file;
    } else {
      piece.push_back({source, ref.segment, ref.file, ref.file});
    }
  }
  std::vector<GrepPiece> finish() && { return std::move(pieces_); }

 private:
  std::vector<GrepPiece> pieces_ = std::vector<GrepPiece>(1);
  std::uint64_t bytes_ = 0;
  std::uint64_t target_ = kFirstPiece;
};

/// The files of one location, before candidates are selected.
class Scope {
 public:
  Scope(const Snapshot& snapshot, const std::string& path)
      : files_(snapshot.beneath(path)), file_(snapshot.find(path)) {}

  [[nodiscard]] std::span<const FileRef> files() const {
    return file_ ? std::span(&*file_, 1) : files_;
  }

 private:
  std::span<const FileRef> files_;
  std::optional<FileRef> file_;
};

/// A glob relative to the source or to the searched directory, or with the name of the source in
/// front, because every tool shows paths in that form.
class Include {
 public:
  static Result<Include> compile(const std::string& pattern) {
    Include include;
    if (pattern.empty()) return include;
    auto glob = Glob::compile(pattern);
    if (!glob) return std::move(glob).error().in("include");
    include.glob_ = std::move(*glob);
    return include;
  }
  /// A predicate for the paths of `source` beneath `directory`.
  [[nodiscard]] auto at(const Source& source, std::string_view directory) const {
    const bool may_name = glob_ && glob_->may_name(source.name);
    return [this, &source, directory, may_name](std::string_view path) {
      if (!glob_ || glob_->matches(path)) return true;
      const bool beneath = !directory.empty() && path.size() > directory.size();
      return (beneath && glob_->matches(path.substr(directory.size() + 1))) ||
             (may_name && glob_->matches(source.name + '/' + std::string(path)));
    };
  }

 private:
  std::optional<Glob> glob_;
};

/// The files of each segment that may match according to its index; nullopt if every one may.
std::vector<std::optional<std::vector<bool>>> candidates_of(const Snapshot& snapshot,
                                                            const LinePattern& pattern,
                                                            Executor& executor) {
  std::vector<std::optional<std::vector<bool>>> out(snapshot.segments().size());
  parallel_for(executor, out.size(), [&](std::size_t number) {
    const auto i = static_cast<std::uint32_t>(number);
    const auto index = snapshot.trigrams(i);
    if (index) out[i] = pattern.candidates(*index, snapshot.segments()[i]->file_count());
    if (index && index->is_damaged()) static_cast<void>(snapshot.trigrams(i));  // removes it
  });
  return out;
}

/// False if no file of the segment may match.
bool contains_any(const std::optional<std::vector<bool>>& candidates) {
  return !candidates || std::ranges::find(*candidates, true) != candidates->end();
}

void plan_source(const Collection& collection, const Location& location, const Include& include,
                 const LinePattern& pattern, Executor& executor, Planner& planner) {
  const Source& source = collection.sources()[location.source];
  const Snapshot& snapshot = *source.snapshot;
  const Scope scope(snapshot, location.path);
  const auto candidates = candidates_of(snapshot, pattern, executor);
  const auto is_included = include.at(source, location.path);
  if (std::ranges::none_of(candidates, &contains_any)) return;
  for (const FileRef ref : scope.files()) {
    if (candidates[ref.segment] && !(*candidates[ref.segment])[ref.file]) continue;
    if (!is_included(snapshot.path(ref))) continue;
    planner.add(static_cast<std::uint32_t>(location.source), snapshot.segment(ref), ref);
  }
}

}  // namespace

Result<std::vector<GrepPiece>> plan_grep(const Collection& collection, const GrepQuery& query,
                                         const LinePattern& pattern, Executor& executor) {
  const auto include = Include::compile(query.include);
  if (!include) return include.error();
  const auto place = collection.resolve(query.path);
  if (!place) return place.error();
  Planner planner;
  if (*place) {
    if (!exists(collection, **place)) return no_such_path(collection, **place);
    plan_source(collection, **place, *include, pattern, executor, planner);
    return std::move(planner).finish();
  }
  for (std::size_t source = 0; source < collection.sources().size(); ++source) {
    plan_source(collection, {source, ""}, *include, pattern, executor, planner);
  }
  return std::move(planner).finish();
}

}  // namespace quarry::corpus
