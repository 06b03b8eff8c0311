#include "corpus/query/grep.h"

#include "base/utf8.h"
#include "corpus/query/grep_plan.h"
#include "corpus/query/line_pattern.h"
#include "corpus/text/display.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kMostMatches = 1000;
constexpr std::uint32_t kMostContext = 10;
constexpr std::size_t kCharactersBefore = 500;  // of the match, in a line that is cut

struct Hit {
  std::uint32_t source;
  FileRef file;
  std::string_view line;
};

/// Collects `wanted` hits after `skip` others of all pieces, and determines when the first pieces
/// have enough. Hits to skip are freed once all pieces before theirs have finished: a caller may
/// ask to skip a thousand million.
class Gathering {
 public:
  Gathering(std::size_t pieces, std::size_t skip, std::size_t wanted)
      : most_(skip + wanted),
        wanted_(wanted),
        last_needed_(pieces),
        hits_(pieces),
        finished_(pieces),
        to_skip_(skip) {}

  /// True if no hit of piece `piece` is needed any more. [any thread]
  [[nodiscard]] bool done_before(std::size_t piece) const { return last_needed_ < piece; }
  /// Hits that may be needed of one piece.
  [[nodiscard]] std::size_t most() const { return most_; }

  /// [any thread]
  void finish(std::size_t piece, std::vector<Hit> hits) {
    std::lock_guard lock(mutex_);
    if (hits.size() >= most_) need_none_after(piece);
    hits_[piece] = std::move(hits);
    finished_[piece] = true;
    for (; next_ < finished_.size() && finished_[next_]; ++next_) {
      found_ += hits_[next_].size();
      skip_in(hits_[next_]);
      if (found_ >= most_) need_none_after(next_);
    }
  }

  /// The wanted hits in order, once every piece has finished or is not needed.
  [[nodiscard]] std::vector<Hit> take() && {
    std::vector<Hit> out;
    for (const auto& hits : hits_) {
      const std::size_t count = std::min(hits.size(), wanted_ - out.size());
      out.insert(out.end(), hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return out;
  }

 private:
  void need_none_after(std::size_t piece) {
    if (piece < last_needed_) last_needed_ = piece;
  }
  void skip_in(std::vector<Hit>& hits) {
    const std::size_t skipped = std::min(to_skip_, hits.size());
    to_skip_ -= skipped;
    const std::span<const Hit> rest = std::span(hits).subspan(skipped);
    if (skipped > 0) hits = std::vector<Hit>(rest.begin(), rest.end());  // without spare memory
  }

  const std::size_t most_;
  const std::size_t wanted_;
  std::atomic<std::size_t> last_needed_;
  std::mutex mutex_;
  std::vector<std::vector<Hit>> hits_;
  std::vector<bool> finished_;
  std::size_t next_ = 0;
  std::size_t found_ = 0;  // in the pieces before next_
  std::size_t to_skip_;
};

std::string_view text_of_segment(const Segment& segment, const GrepRun& run) {
  const std::uint64_t begin = segment.offset_of(run.first);
  const std::uint64_t end = segment.offset_of(run.last) + segment.text(run.last).size();
  return segment.packed_text().substr(begin, end - begin);
}

/// The undamaged parts of `run`: usually all of it.
std::vector<GrepRun> sound_runs(const Segment& segment, const GrepRun& run) {
  if (segment.is_sound(run.first, run.last)) return {run};
  std::vector<GrepRun> runs;
  for (FileId file = run.first; file <= run.last; ++file) {
    if (segment.check(file)) runs.push_back({run.source, run.segment, file, file});
  }
  return runs;
}

std::vector<Hit> search_piece(const Collection& collection, const GrepPiece& piece,
                              const LinePattern& pattern, std::size_t wanted,
                              const std::function<bool()>& give_up) {
  std::vector<Hit> hits;
  for (const GrepRun& run : piece) {
    if (hits.size() == wanted || give_up()) break;
    const Segment& segment = *collection.sources()[run.source].snapshot->segments()[run.segment];
    for (const GrepRun& sound : sound_runs(segment, run)) {
      pattern.scan(text_of_segment(segment, sound), [&](std::string_view line) {
        const auto offset = static_cast<std::uint64_t>(line.data() - segment.packed_text().data());
        hits.push_back({run.source, {run.segment, segment.file_at(offset)}, line});
        return hits.size() < wanted && !give_up();
      });
    }
  }
  return hits;
}

/// At most kGrepLineCharacters of `line`, including those at `at`; "…" marks each cut.
std::string excerpt(std::string_view line, std::size_t at) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (first_characters(line, kGrepLineCharacters).size() == line.size()) return std::string(line);
  std::string_view rest = line;
  const std::size_t before = utf8_length(line.substr(0, std::min(at, line.size())));
  if (before > kCharactersBefore) {
    rest.remove_prefix(first_characters(line, before - kCharactersBefore).size());
  }
  const std::string_view kept = first_characters(rest, kGrepLineCharacters);
  return (rest.size() == line.size() ? "" : "…") + std::string(kept) +
         (kept.size() == rest.size() ? "" : "…");
}

/// Writes the lines of one file; context that two matches share is written once.
class FileLines {
 public:
  FileLines(const Segment& segment, FileId file, std::uint32_t context, GrepFile& out)
      : segment_(segment), file_(file), context_(context), out_(out) {}

  void add_match(std::string_view line, std::size_t at) {
    const auto offset = static_cast<std::uint64_t>(line.data() - segment_.text(file_).data());
    const std::uint32_t number = segment_.line_of(file_, offset);
    finish_context(number - 1);
    const std::uint32_t first = number > context_ ? number - context_ : 1;
    add_context(std::max(first, written_ + 1), number - 1);
    out_.lines.push_back({number, true, excerpt(line, at)});
    written_ = number;
  }
  /// Writes the context after the last match, up to line `last`.
  void finish_context(std::uint32_t last) {
    if (written_ > 0) add_context(written_ + 1, std::min(last, last_match() + context_));
  }

 private:
  [[nodiscard]] std::uint32_t last_match() const { return out_.lines.back().number; }
  void add_context(std::uint32_t first, std::uint32_t last) {
    for (; first <= last; ++first) {
      out_.lines.push_back({first, false, excerpt(segment_.line(file_, first), 0)});
      written_ = first;
    }
  }

  const Segment& segment_;
  FileId file_;
  std::uint32_t context_;
  GrepFile& out_;
  std::uint32_t written_ = 0;  // number of the last line in out_
};

GrepResult present(const Collection& collection, std::span<const Hit> hits,
                   const LinePattern& pattern, std::uint32_t context) {
  GrepResult result;
  result.matches = static_cast<std::uint32_t>(hits.size());
  const auto same_file = [](const Hit& a, const Hit& b) {
    return a.source == b.source && a.file.segment == b.file.segment && a.file.file == b.file.file;
  };
  while (!hits.empty()) {
    const Hit& first = hits.front();
    const Source& source = collection.sources()[first.source];
    const Segment& segment = source.snapshot->segment(first.file);
    GrepFile& file = result.files.emplace_back();
    file.path = source.name + '/' + to_utf8(segment.path(first.file.file));
    file.source = first.source;
    file.file = first.file;
    FileLines lines(segment, first.file.file, context, file);
    std::size_t count = 0;
    for (; count < hits.size() && same_file(first, hits[count]); ++count) {
      const std::string_view line = hits[count].line;
      lines.add_match(line, line.size() > kGrepLineCharacters ? pattern.find(line) : 0);
    }
    lines.finish_context(segment.line_count(first.file.file));
    hits = hits.subspan(count);
  }
  return result;
}

}  // namespace

Result<GrepResult> grep(const Collection& collection, const GrepQuery& query, Executor& executor,
                        std::stop_token stop) {
  const auto pattern = LinePattern::compile(query.pattern, query.ignore_case);
  if (!pattern) return pattern.error();
  const auto plan = plan_grep(collection, query, *pattern, executor);
  if (!plan) return plan.error();
  const std::uint32_t limit = std::clamp(query.limit, 1u, kMostMatches);
  // One more shows that there are more.
  Gathering gathering(plan->size(), query.skip, std::size_t{limit} + 1);
  parallel_for(executor, plan->size(), [&](std::size_t i) {
    const auto give_up = [&] { return stop.stop_requested() || gathering.done_before(i); };
    if (give_up()) return;
    gathering.finish(i, search_piece(collection, (*plan)[i], *pattern, gathering.most(), give_up));
  });
  if (stop.stop_requested()) return Error{Code::kCancelled, "grep was cancelled"};
  std::vector<Hit> hits = std::move(gathering).take();
  const bool truncated = hits.size() > limit;
  if (truncated) hits.pop_back();
  const std::uint32_t context = std::min(query.context, kMostContext);
  GrepResult result = present(collection, hits, *pattern, context);
  result.truncated = truncated;
  return result;
}

}  // namespace quarry::corpus
