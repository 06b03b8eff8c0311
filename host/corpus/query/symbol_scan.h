#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/index/symbol_analyser.h"
#include "corpus/index/symbol_files.h"
#include "corpus/query/symbol_name.h"
#include "corpus/query/symbol_part.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace quarry::corpus {

/// A file that is read because its segment has no index, or because it could not be read for that.
struct ScannedFile {
  std::uint32_t part;
  FileId file;
  FileSymbols symbols;
};

struct SymbolScan {
  std::vector<ScannedFile> files;
  bool is_bounded = false;  ///< more files contain the name than were read
};

/// Most files and bytes of text that one scan reads.
inline constexpr std::size_t kMostScannedFiles = 64;
inline constexpr std::size_t kMostScannedBytes = 4u << 20;

/// The symbols of the files that contain one of the names, in the parts that have no index, and
/// of those that failed in the others: those with a line that looks like its definition first, as
/// many as the bounds allow. A file that is itself to blame for its failure is not read again.
/// kCancelled.
Result<SymbolScan> scan_symbols(std::span<const SymbolPart> parts, const SymbolNames& names,
                                SymbolAnalyser& analyser, Executor& executor,
                                const std::stop_token& stop);

}  // namespace quarry::corpus
