#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/index/symbol_analyser.h"
#include "corpus/segment/segment.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

class SymbolIndex;

/// Larger texts are not analysed, in bytes.
inline constexpr std::size_t kMostAnalysedBytes = 2u << 20;

/// A file with a definition of a longer name counts as a failure, in bytes.
inline constexpr std::size_t kMostNameBytes = 1024;

/// The way in which a file was read for its symbols.
enum class SymbolState : std::uint8_t {
  kRead,      ///< its definitions are known
  kNoReader,  ///< it is of no language that is analysed
  kTooLarge,  ///< above kMostAnalysedBytes
  kMinified,  ///< its lines are too long to have been written by a person
  kFailed,    ///< the analyser failed
};

/// The symbols of one file.
struct FileSymbols {
  SymbolState state = SymbolState::kNoReader;
  std::string reader;  ///< SymbolAnalyser::reader_of; "" also if it has to be read again
  std::string reason;  ///< of kFailed
  std::vector<SymbolDefinition> definitions;
};

/// False for a file whose first line tells its language, see SymbolAnalyser::reader_of. The point
/// that a name begins with is none before an extension.
[[nodiscard]] bool has_extension(std::string_view path);

/// The id of what reads a file of a segment, see SymbolAnalyser::reader_of.
[[nodiscard]] std::string reader_of(const SymbolAnalyser& analyser, const Segment& segment,
                                    FileId file);

/// More levels of definitions are not shown; it also ends a ring of parents.
inline constexpr std::size_t kMostParents = 32;

/// What encloses definition `number` of a file, innermost first: numbers, and names.
[[nodiscard]] std::vector<std::size_t> parent_numbers_of(
    const std::vector<SymbolDefinition>& definitions, std::size_t number);
[[nodiscard]] std::vector<std::string_view> parents_of(
    const std::vector<SymbolDefinition>& definitions, std::size_t number);

/// The beginnings of the lines of definitions. Keeps the last one, because a line of generated code
/// may have megabytes and thousands of definitions. Not thread-safe.
class LineBeginnings {
 public:
  /// Names further on in their line have no text before them, in bytes.
  static constexpr std::size_t kMost = 2048;

  /// The line of a definition up to its name; empty if its text is damaged. A view into the text.
  std::string_view before(const Segment& segment, FileId file, std::uint32_t line,
                          std::string_view name);

 private:
  const Segment* segment_ = nullptr;  // of the line that is kept
  FileId file_ = 0;
  std::uint32_t line_ = 0;
  std::string_view beginning_;
};

/// kTooLarge or kMinified for a text that is not analysed, kRead for others.
[[nodiscard]] SymbolState state_of_text(std::string_view text, std::uint32_t lines);

/// Reads one file, whose text must be undamaged. Definitions that do not fit the text count as a
/// failure. Only kCancelled is an error. Blocks.
Result<FileSymbols> read_symbols(const Segment& segment, FileId file, SymbolAnalyser& analyser,
                                 const std::stop_token& stop);

/// Reads every file of a segment with the workers of `executor`. The files that `known` (may be
/// null) has from the same reader are taken from it. kCancelled, SnapshotDamaged.
Result<std::vector<FileSymbols>> read_symbols(const Segment& segment, const SymbolIndex* known,
                                              SymbolAnalyser& analyser, Executor& executor,
                                              const std::stop_token& stop);

}  // namespace quarry::corpus
