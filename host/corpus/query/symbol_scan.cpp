#include "corpus/query/symbol_scan.h"

#include "corpus/query/word_files.h"
#include "corpus/query/word_finder.h"
#include "corpus/scip/scip_analyser.h"
#include "corpus/text/definitions.h"

#include <algorithm>
#include <optional>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostTriedLines = 100;  // of one file, for one that looks like a definition

struct Candidate {
  std::uint32_t part;
  FileId file;
  std::size_t bytes;
  bool looks_right;  ///< has a line that seems to define the name
};

/// The line of `text` around byte `at`.
std::string_view line_at(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

bool looks_defined(std::string_view text, const WordFinder& finder) {
  std::size_t at = finder.find(text, 0);
  for (std::size_t i = 0; i < kMostTriedLines && at != WordFinder::npos; ++i) {
    if (match_name(find_definition(line_at(text, at)).name, finder.word())) return true;
    at = finder.find(text, at + 1);
  }
  return false;
}

std::optional<Candidate> candidate(std::uint32_t number, const SymbolPart& part, FileId file,
                                   std::span<const WordFinder> finders,
                                   const SymbolAnalyser& analyser) {
  const Segment& segment = part.files();
  if (!part.admits(file) || !segment.check(file)) return std::nullopt;
  const std::string_view text = segment.text(file);
  if (std::ranges::none_of(finders, [&](const auto& one) { return one.is_in(text); }) ||
      reader_of(analyser, segment, file).empty()) {
    return std::nullopt;
  }
  const auto defines = [&](const WordFinder& finder) { return looks_defined(text, finder); };
  return Candidate{number, file, text.size(), std::ranges::any_of(finders, defines)};
}

bool is_complete(const SymbolPart& part) {
  return part.index && part.index->failed_files().empty();
}

/// Reads a file, unless the index knows that the file itself makes its analyser fail.
std::optional<FileSymbols> read_candidate(const SymbolPart& part, FileId file,
                                          SymbolAnalyser& others, const std::stop_token& stop) {
  if (part.index && !part.index->reader(file).empty()) return part.index->symbols_of(file);
  ScipAnalyser analyser(part.snapshot->scip(), others);
  auto read = read_symbols(part.files(), file, analyser, stop);
  if (!read) return std::nullopt;
  return std::move(*read);
}

/// The files of a part whose symbols are not known and that contain a name, ascending.
std::vector<Candidate> candidates_in(std::uint32_t number, const SymbolPart& part,
                                     std::span<const WordFinder> finders, SymbolAnalyser& others,
                                     const std::stop_token& stop) {
  const ScipAnalyser analyser(part.snapshot->scip(), others);
  std::vector<bool> maybe(part.files().file_count());
  const auto add = [&](const std::vector<FileId>& files) {
    for (const FileId file : files) maybe[file] = true;
  };
  if (part.index) {
    add(part.index->failed_files());
  } else {
    for (const WordFinder& finder : finders) add(files_with(*part.snapshot, part.segment, finder));
  }
  std::vector<Candidate> out;
  for (FileId file = 0; file < maybe.size() && !stop.stop_requested(); ++file) {
    if (!maybe[file]) continue;
    if (auto found = candidate(number, part, file, finders, analyser)) out.push_back(*found);
  }
  return out;
}

/// The candidates of all parts, those that look right first.
std::vector<Candidate> all_candidates(std::span<const SymbolPart> parts, const SymbolNames& names,
                                      SymbolAnalyser& analyser, Executor& executor,
                                      const std::stop_token& stop) {
  using Spelling = WordFinder::Spelling;
  std::vector<WordFinder> finders;
  for (const SymbolName& reading : names.readings) {
    finders.emplace_back(reading.name, names.is_prefix ? Spelling::kPrefix : Spelling::kFolded);
  }
  std::vector<std::vector<Candidate>> found(parts.size());
  parallel_for(executor, parts.size(), [&](std::size_t i) {
    if (is_complete(parts[i])) return;
    found[i] = candidates_in(static_cast<std::uint32_t>(i), parts[i], finders, analyser, stop);
  });
  std::vector<Candidate> out;
  for (const auto& some : found) out.insert(out.end(), some.begin(), some.end());
  std::ranges::stable_partition(out, &Candidate::looks_right);
  return out;
}

/// The number of candidates that the bounds allow.
std::size_t within_bounds(std::span<const Candidate> candidates) {
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (; count < std::min(candidates.size(), kMostScannedFiles); ++count) {
    bytes += std::min(candidates[count].bytes, kMostAnalysedBytes);
    if (bytes > kMostScannedBytes && count > 0) break;
  }
  return count;
}

}  // namespace

Result<SymbolScan> scan_symbols(std::span<const SymbolPart> parts, const SymbolNames& names,
                                SymbolAnalyser& analyser, Executor& executor,
                                const std::stop_token& stop) {
  SymbolScan scan;
  if (std::ranges::all_of(parts, is_complete)) return scan;
  const auto candidates = all_candidates(parts, names, analyser, executor, stop);
  const std::size_t count = within_bounds(candidates);
  scan.is_bounded = count < candidates.size();
  scan.files.resize(count);
  parallel_for(executor, count, [&](std::size_t i) {
    ScannedFile& out = scan.files[i];
    out.part = candidates[i].part;
    out.file = candidates[i].file;
    if (auto read = read_candidate(parts[out.part], out.file, analyser, stop)) {
      out.symbols = std::move(*read);
    }
  });
  if (stop.stop_requested()) return Error{Code::kCancelled, "the search was cancelled"};
  return scan;
}

}  // namespace quarry::corpus
