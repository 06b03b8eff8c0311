#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/index/word_chunk.h"

#include <span>
#include <stop_token>
#include <string>

namespace quarry::corpus {

/// Builds the bytes of an index over `documents`, for WordTable. With a filter it contains only
/// those terms, with the same passages and counts as in the full index. The bytes do not depend on
/// the number of threads. kCancelled.
Result<std::string> build_word_table(std::span<const Document> documents, const TermFilter* filter,
                                     Executor& executor, std::stop_token stop);

}  // namespace quarry::corpus
