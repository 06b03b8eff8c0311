#pragma once

#include "base/error.h"
#include "corpus/index/symbol_analyser.h"
#include "corpus/query/collection.h"

#include <stop_token>
#include <vector>

namespace quarry::corpus {

/// The definitions of a file in the analyser's order, from the symbol index or from the analyser.
/// kUnsupported, with the reason, for a file of no language that is analysed, or too large or
/// minified; kInternal with the analyser's reason; kCancelled. Blocks; meant for a worker.
Result<std::vector<SymbolDefinition>> outline_of(const Source& source, FileRef file,
                                                 SymbolAnalyser& analyser,
                                                 const std::stop_token& stop);

}  // namespace quarry::corpus
