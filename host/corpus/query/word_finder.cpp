#include "corpus/query/word_finder.h"

#include <utility>

namespace quarry::corpus {
namespace {

bool is_identifier_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

WordFinder::WordFinder(std::string word, Spelling spelling)
    : word_(std::move(word)), spelling_(spelling), finder_(word_, spelling != Spelling::kExact) {}

std::size_t WordFinder::find(std::string_view text, std::size_t from) const {
  for (std::size_t at = from; (at = finder_.find(text, at)) != npos; ++at) {
    const bool begins =
        at == 0 || !is_identifier_byte(word_.front()) || !is_identifier_byte(text[at - 1]);
    const std::size_t end = at + word_.size();
    const bool ends = spelling_ == Spelling::kPrefix || end == text.size() ||
                      !is_identifier_byte(word_.back()) || !is_identifier_byte(text[end]);
    if (begins && ends) return at;
  }
  return npos;
}

}  // namespace quarry::corpus
