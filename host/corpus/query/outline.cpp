#include "corpus/query/outline.h"

#include "corpus/index/symbol_files.h"
#include "corpus/index/symbol_index.h"
#include "corpus/query/location.h"
#include "corpus/scip/scip_analyser.h"
#include "corpus/text/display.h"

#include <optional>
#include <string>

namespace quarry::corpus {
namespace {

/// The symbols of a file from its index, if it has been read; from the analyser otherwise.
Result<FileSymbols> symbols_of(const Source& source, FileRef file, SymbolAnalyser& others,
                               const std::stop_token& stop) {
  const Segment& segment = source.snapshot->segment(file);
  if (const auto index = source.snapshot->symbols(file.segment)) {
    if (index->state(file.file) == SymbolState::kRead) {
      if (auto known = index->symbols_of(file.file)) return std::move(*known);
    }
  }
  if (Status sound = segment.check(file.file); !sound) {
    return std::move(sound).error().in(source.name);
  }
  ScipAnalyser analyser(source.snapshot->scip(), others);
  return read_symbols(segment, file.file, analyser, stop);
}

std::string why_not(const FileSymbols& symbols, std::uint64_t bytes) {
  switch (symbols.state) {
    case SymbolState::kNoReader:
      return "it is of no language that is analysed";
    case SymbolState::kTooLarge:
      return "it has " + shown_size(bytes) + ", and files above " + shown_size(kMostAnalysedBytes) +
             " are not analysed";
    case SymbolState::kMinified:
      return "its lines are those of a minified or generated file";
    case SymbolState::kFailed:
      return symbols.reason;
    case SymbolState::kRead:
      break;
  }
  return {};
}

}  // namespace

Result<std::vector<SymbolDefinition>> outline_of(const Source& source, FileRef file,
                                                 SymbolAnalyser& analyser,
                                                 const std::stop_token& stop) {
  auto symbols = symbols_of(source, file, analyser, stop);
  if (!symbols) return std::move(symbols).error();
  const std::string why = why_not(*symbols, source.snapshot->segment(file).size(file.file));
  if (why.empty()) return std::move(symbols->definitions);
  const std::string name = shown(source, source.snapshot->path(file));
  const bool failed = symbols->state == SymbolState::kFailed;
  return Error{failed ? Code::kInternal : Code::kUnsupported,
               "\"" + name + "\" has no outline: " + why,
               "Use read to see it, or grep to find lines in it."};
}

}  // namespace quarry::corpus
