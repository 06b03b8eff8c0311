#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/index/trigram_index.h"
#include "corpus/segment/segment.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>

namespace quarry::corpus {

// The file of a trigram index is a table (table_file.h) of these arrays:
//   TrigramShape, 1
//   trigrams, ascending, std::uint32_t
//   start of the posting list of each, std::uint64_t, one more for the end
//   the posting lists (posting_list.h), bytes
inline constexpr std::string_view kTrigramTable = "trigram3";

/// The size of the indexed texts, compared so that an index is never used for another segment.
struct TrigramShape {
  std::uint64_t files;
  std::uint64_t text_bytes;

  friend bool operator==(const TrigramShape&, const TrigramShape&) = default;
};

/// Three bytes that UTF-8 never contains: the key of TrigramIndex::folding_files().
inline constexpr std::uint32_t kFoldingFiles = 0xFFFFFF;

/// TrigramIndex::build for plain texts.
Status write_trigrams(std::span<const std::string_view> texts, TrigramShape shape,
                      const std::filesystem::path& out, Executor& executor, std::stop_token stop);

/// TrigramIndex::open for the shape of plain texts.
Result<std::shared_ptr<const TrigramIndex>> open_trigrams(const std::filesystem::path& file,
                                                          TrigramShape expected);

}  // namespace quarry::corpus
