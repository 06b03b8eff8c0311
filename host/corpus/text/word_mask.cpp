#include "corpus/text/word_mask.h"

#include "corpus/text/letter_case.h"

namespace quarry::corpus {
namespace {

/// The first word, which it removes with all before it.
WordMask take_word(std::string_view& text) {
  std::size_t at = 0;
  while (at < text.size() && !is_word_byte(text[at])) ++at;
  if (at == text.size()) {
    text = {};
    return 0;
  }
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (; at < text.size() && is_word_byte(text[at]); ++at) {
    hash = (hash ^ kLowerCase[static_cast<unsigned char>(text[at])]) * 0x100000001B3;
  }
  text.remove_prefix(at);
  return WordMask{1} << (hash ^ hash >> 32) % 64;
}

}  // namespace

WordMask words_mask(std::string_view text) {
  WordMask mask = 0;
  while (!text.empty()) mask |= take_word(text);
  return mask;
}

WordMask first_word_mask(std::string_view text) {
  return take_word(text);
}

}  // namespace quarry::corpus
