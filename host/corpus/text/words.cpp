#include "corpus/text/words.h"

#include "corpus/text/code_point.h"
#include "corpus/text/letter_case.h"
#include "corpus/text/stemmer.h"
#include "corpus/text/word_mask.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMaxDigits = 5;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_foreign(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

/// White space, punctuation and symbols outside ASCII.
bool separates(std::uint32_t c) {
  return (c >= 0x80 && c < 0xC0 && c != 0xAA && c != 0xB5 && c != 0xBA) || c == 0xD7 || c == 0xF7 ||
         (c >= 0x2000 && c < 0x2C00) || (c >= 0x2E00 && c < 0x2E80) ||
         (c >= 0x3000 && c < 0x3005) || (c >= 0x3008 && c < 0x3021) ||
         (c >= 0xE000 && c < 0xF900) || (c >= 0xFE10 && c < 0xFE70) ||
         (c >= 0xFF00 && c < 0xFF10) || (c >= 0xFFF0 && c < 0x10000) ||
         (c >= 0x1F000 && c < 0x20000);
}

/// Chinese, Japanese, Korean, Thai, Lao, Khmer: no spaces between words.
bool has_no_spaces(std::uint32_t c) {
  return (c >= 0x0E00 && c < 0x0F00) || (c >= 0x1780 && c < 0x1800) ||
         (c >= 0x2E80 && c < 0xA4D0) || (c >= 0xAC00 && c < 0xD7B0) ||
         (c >= 0xF900 && c < 0xFB00) || (c >= 0x20000 && c < 0x32000);
}

void append_lower_two_bytes(std::string& out, std::uint32_t c) {
  if ((c >= 0xC0 && c < 0xDF) || (c >= 0x391 && c < 0x3AC) || (c >= 0x410 && c < 0x430)) {
    c += 0x20;
  } else if (c >= 0x400 && c < 0x410) {
    c += 0x50;
  } else if (((c >= 0x100 && c < 0x138) || (c >= 0x14A && c < 0x178)) && c % 2 == 0) {
    c += 1;
  }
  out += static_cast<char>(0xC0 | c >> 6);
  out += static_cast<char>(0x80 | (c & 0x3F));
}

/// True when a new part of an identifier starts at `i`.
bool cuts_before(std::string_view word, std::size_t i) {
  const char before = word[i - 1];
  const char here = word[i];
  if (is_digit(before) != is_digit(here)) return true;
  if (!is_upper(here)) return false;
  if (!is_upper(before)) return true;
  // The last capital of an acronym belongs to the next part, unless that is only a plural s: URLs.
  if (i + 1 >= word.size() || !is_lower(word[i + 1])) return false;
  return !(word[i + 1] == 's' && (i + 2 == word.size() || !is_lower(word[i + 2])));
}

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}

}  // namespace

std::string_view WordScanner::next() {
  for (;;) {
    std::size_t begin = at_;
    while (begin < text_.size() && !is_word_byte(text_[begin])) ++begin;
    at_ = begin;
    if (at_ == text_.size()) return {};
    if (is_foreign(text_[at_])) {
      const CodePoint c = code_point(text_.substr(at_));
      if (separates(c.value)) {
        at_ += c.bytes;
        continue;
      }
      if (has_no_spaces(c.value)) return next_pair();
    }
    const std::string_view word = letters();
    if (word.size() <= kMaxWordBytes) return word;
  }
}

/// The run of word bytes from here up to a foreign separator or a script without spaces.
std::string_view WordScanner::letters() {
  const std::size_t begin = at_;
  std::size_t end = at_;
  while (end < text_.size() && is_word_byte(text_[end])) {
    if (!is_foreign(text_[end])) {
      ++end;
      continue;
    }
    const CodePoint c = code_point(text_.substr(end));
    if (separates(c.value) || has_no_spaces(c.value)) break;
    end += c.bytes;
  }
  at_ = end;
  return text_.substr(begin, end - begin);
}

/// This character and the next; the scanner advances by one.
std::string_view WordScanner::next_pair() {
  const std::size_t begin = at_;
  at_ += code_point(text_.substr(at_)).bytes;
  if (at_ == text_.size() || !is_foreign(text_[at_])) return text_.substr(begin, at_ - begin);
  const CodePoint second = code_point(text_.substr(at_));
  const bool pair = has_no_spaces(second.value) && !separates(second.value);
  const std::size_t end = pair ? at_ + second.bytes : at_;
  return text_.substr(begin, end - begin);
}

std::vector<std::string_view> split_identifier(std::string_view word) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    const bool gap = i == word.size() || word[i] == '_';
    if (!gap && (i == begin || !cuts_before(word, i))) continue;
    if (i > begin) parts.push_back(word.substr(begin, i - begin));
    begin = gap ? i + 1 : i;
  }
  return parts;
}

std::string lower_word(std::string_view word) {
  std::string out;
  out.reserve(word.size());
  for (std::size_t i = 0; i < word.size();) {
    if (!is_foreign(word[i])) {
      out += is_upper(word[i]) ? static_cast<char>(word[i] + ('a' - 'A')) : word[i];
      ++i;
      continue;
    }
    const CodePoint c = code_point(word.substr(i));
    if (c.bytes == 2) {
      append_lower_two_bytes(out, c.value);
    } else {
      out += word.substr(i, c.bytes);
    }
    i += c.bytes;
  }
  return out;
}

std::string fold_identifier(std::string_view word) {
  std::string out = lower_word(word);
  std::erase(out, '_');
  return out;
}

std::string join_stems(std::string_view word) {
  std::string out;
  for (const std::string_view part : split_identifier(word)) out += stemmed(lower_word(part));
  return out;
}

WordTerms terms_of(std::string_view word) {
  WordTerms terms;
  const std::vector<std::string_view> parts = split_identifier(word);
  for (const std::string_view part : parts) {
    std::string stem_of_it = lower_word(part);
    stem(stem_of_it);
    if (parts.size() > 1) terms.whole += stem_of_it;
    if (part.size() < 2 || (is_number(part) && part.size() > kMaxDigits)) continue;
    terms.parts.push_back(std::move(stem_of_it));
  }
  return terms;
}

}  // namespace quarry::corpus
