#include "corpus/query/word_finder.h"

#include "corpus/text/word_mask.h"

#include <utility>

namespace quarry::corpus {

WordFinder::WordFinder(std::string word, Spelling spelling)
    : word_(std::move(word)), spelling_(spelling), finder_(word_, spelling != Spelling::kExact) {}

std::size_t WordFinder::find(std::string_view text, std::size_t from) const {
  for (std::size_t at = from; (at = finder_.find(text, at)) != npos; ++at) {
    const bool begins = at == 0 || !is_word_byte(word_.front()) || !is_word_byte(text[at - 1]);
    const std::size_t end = at + word_.size();
    const bool ends = spelling_ == Spelling::kPrefix || end == text.size() ||
                      !is_word_byte(word_.back()) || !is_word_byte(text[end]);
    if (begins && ends) return at;
  }
  return npos;
}

}  // namespace quarry::corpus
