#include "corpus/query/symbol_references.h"

#include "base/utf8.h"
#include "corpus/index/symbol_analyser.h"
#include "corpus/index/symbol_files.h"
#include "corpus/query/location.h"
#include "corpus/query/word_files.h"
#include "corpus/query/word_finder.h"
#include "corpus/scip/scip_analyser.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace quarry::corpus {
namespace {

/// Positions beyond are not reached.
constexpr std::uint64_t kMostPositions = 1'000'000'000;

/// A file at the path, and the position of its first line.
struct PlacedFile {
  std::size_t source;
  FileRef file;
  std::uint32_t position;
};

class References {
 public:
  References(const Collection& collection, const ReferenceQuery& query, SymbolAnalyser& analyser,
             Executor& executor, const std::stop_token& stop)
      : collection_(collection),
        query_(query),
        analyser_(analyser),
        executor_(executor),
        stop_(stop),
        word_(query.name),
        batch_(std::max<std::size_t>(executor.concurrency(), 1)) {}

  Result<ReferenceResult> find(const std::optional<Location>& place) {
    for (std::size_t i = 0; i < collection_.sources().size() && !is_full(); ++i) {
      if (!place || place->source == i) find_in(i, place ? place->path : "");
    }
    if (!is_full()) analyse();
    if (stop_.stop_requested()) return Error{Code::kCancelled, "the search was cancelled"};
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_full() const { return result_.next || stop_.stop_requested(); }
  void find_in(std::size_t source, const std::string& path);
  [[nodiscard]] bool has_word(std::size_t source, FileRef file);
  void analyse();
  void add(const PlacedFile& file, std::span<const std::uint32_t> lines);

  const Collection& collection_;
  const ReferenceQuery& query_;
  SymbolAnalyser& analyser_;
  Executor& executor_;
  const std::stop_token& stop_;
  const WordFinder word_;
  const std::size_t batch_;
  std::vector<std::optional<std::vector<bool>>> maybe_;  // by segment of the source: may have it
  std::vector<PlacedFile> waiting_;                      // for being analysed
  std::uint64_t lines_ = 0;                              // of the files so far
  std::size_t analysed_ = 0;
  ReferenceResult result_;
};

bool References::has_word(std::size_t source, FileRef file) {
  const Snapshot& snapshot = *collection_.sources()[source].snapshot;
  auto& maybe = maybe_[file.segment];
  const Segment& segment = snapshot.segment(file);
  if (!maybe) {
    maybe.emplace(segment.file_count());
    for (const FileId id : files_with(snapshot, file.segment, word_)) (*maybe)[id] = true;
  }
  return (*maybe)[file.file] && segment.check(file.file) && word_.is_in(segment.text(file.file));
}

void References::find_in(std::size_t source, const std::string& path) {
  const Snapshot& snapshot = *collection_.sources()[source].snapshot;
  const ScipAnalyser analyser(snapshot.scip(), analyser_);
  maybe_.assign(snapshot.segments().size(), std::nullopt);
  for (const FileRef file : files_at(snapshot, path)) {
    if (is_full()) return;
    const std::uint64_t position = lines_;
    const Segment& segment = snapshot.segment(file);
    lines_ += segment.line_count(file.file);
    if (lines_ > kMostPositions) return;
    if (lines_ <= query_.from || !has_word(source, file)) continue;
    if (reader_of(analyser, segment, file.file).empty() ||
        state_of_text(segment.text(file.file), segment.line_count(file.file)) !=
            SymbolState::kRead) {
      ++result_.other_files;
      continue;
    }
    if (analysed_ + waiting_.size() == kMostReferenceFiles) {
      analyse();
      if (!is_full()) result_.next = static_cast<std::uint32_t>(position);
      return;
    }
    waiting_.push_back({source, file, static_cast<std::uint32_t>(position)});
    if (waiting_.size() == batch_) analyse();
  }
}

/// Asks for the lines of the waiting files.
void References::analyse() {
  const std::vector<PlacedFile> files = std::exchange(waiting_, {});
  std::vector<Result<std::vector<std::uint32_t>>> lines(files.size());
  parallel_for(executor_, files.size(), [&](std::size_t i) {
    const Snapshot& snapshot = *collection_.sources()[files[i].source].snapshot;
    const Segment& segment = snapshot.segment(files[i].file);
    const FileId file = files[i].file.file;
    if (stop_.stop_requested()) return;
    ScipAnalyser analyser(snapshot.scip(), analyser_);
    lines[i] = analyser.references(segment.path(file), segment.text(file), word_.word(), stop_);
  });
  analysed_ += files.size();
  for (std::size_t i = 0; i < files.size() && !is_full(); ++i) {
    if (lines[i]) {
      add(files[i], *lines[i]);
    } else if (result_.failure.empty()) {
      result_.failure = to_utf8(lines[i].error().message);
    }
  }
}

void References::add(const PlacedFile& file, std::span<const std::uint32_t> lines) {
  const std::uint32_t count =
      collection_.sources()[file.source].snapshot->segment(file.file).line_count(file.file.file);
  for (const std::uint32_t line : lines) {
    if (line == 0 || line > count) continue;
    const std::uint32_t position = file.position + line - 1;
    if (position < query_.from) continue;
    if (result_.found.size() == query_.limit) {
      result_.next = position;
      return;
    }
    result_.found.push_back({file.source, file.file, line, position});
  }
}

}  // namespace

Result<ReferenceResult> find_references(const Collection& collection, const ReferenceQuery& query,
                                        SymbolAnalyser& analyser, Executor& executor,
                                        const std::stop_token& stop) {
  const auto place = collection.resolve(query.path);
  if (!place) return place.error();
  if (*place && !exists(collection, **place)) return no_such_path(collection, **place);
  return References(collection, query, analyser, executor, stop).find(*place);
}

}  // namespace quarry::corpus
