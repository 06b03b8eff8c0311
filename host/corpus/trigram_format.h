#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/segment.h"
#include "corpus/trigram_index.h"

#include <array>
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
//   where each one's posting list starts, std::uint64_t, one more for the end
//   the posting lists (posting_list.h), bytes
inline constexpr std::string_view kTrigramTable = "trigram2";

/// What the index was built from, so that it is never used for another segment.
struct TrigramShape {
  std::uint64_t files;
  std::uint64_t text_bytes;

  friend bool operator==(const TrigramShape&, const TrigramShape&) = default;
};

/// Stands for three bytes that UTF-8 never has: TrigramIndex::folding_files().
inline constexpr std::uint32_t kFoldingFiles = 0xFFFFFF;

/// U+212A KELVIN SIGN is a "k", U+017F LATIN SMALL LETTER LONG S an "s".
inline constexpr std::string_view kKelvin = "\xE2\x84\xAA";
inline constexpr std::string_view kLongS = "\xC5\xBF";

constexpr std::array<std::uint8_t, 256> lower_case_table() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    table[byte] = static_cast<std::uint8_t>(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
  }
  return table;
}
inline constexpr auto kLowerCase = lower_case_table();

/// TrigramIndex::build on plain texts.
Status write_trigrams(std::span<const std::string_view> texts, TrigramShape shape,
                      const std::filesystem::path& out, Executor& executor, std::stop_token stop);

/// TrigramIndex::open on the shape of plain texts.
Result<std::shared_ptr<const TrigramIndex>> open_trigrams(const std::filesystem::path& file,
                                                          TrigramShape expected);

}  // namespace quarry::corpus
