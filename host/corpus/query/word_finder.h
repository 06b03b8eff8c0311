#pragma once

#include "corpus/text/literal_finder.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// Finds a name in texts where it stands as a whole word: neither preceded nor followed by a byte
/// of a word (is_word_byte). At an end of the name that is no such byte itself, as in "~Parser",
/// anything may stand beside it.
class WordFinder {
 public:
  static constexpr std::size_t npos = std::string_view::npos;
  enum class Spelling {
    kExact,
    kFolded,  ///< ASCII letters match in either case
    kPrefix,  ///< as kFolded, and the word may go on
  };

  /// `word` is not empty.
  explicit WordFinder(std::string word, Spelling spelling = Spelling::kExact);

  /// Position of the first occurrence in `text` at or after `from`; npos if there is none.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from) const;
  [[nodiscard]] bool is_in(std::string_view text) const { return find(text, 0) != npos; }

  [[nodiscard]] const std::string& word() const { return word_; }

 private:
  std::string word_;
  Spelling spelling_;
  LiteralFinder finder_;
};

}  // namespace quarry::corpus
