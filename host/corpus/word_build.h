#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/word_chunk.h"

#include <span>
#include <stop_token>
#include <string>

namespace quarry::corpus {

/// The bytes of an index over `documents`, for WordTable. With a filter it holds only those terms,
/// with the same numbers as the full index has. The same bytes whatever the executor's threads.
/// kCancelled.
Result<std::string> build_word_table(std::span<const Document> documents, const TermFilter* filter,
                                     Executor& executor, std::stop_token stop);

}  // namespace quarry::corpus
