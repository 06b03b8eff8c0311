#include "corpus/text/stemmer.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace quarry::corpus {
namespace {

bool is_vowel(char c) {
  return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

bool has_vowel(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_vowel(c) || c == 'y'; });
}

bool is_lower_ascii(std::string_view word) {
  return std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Replaces the ending if at least `keep` letters remain before it. True if it did.
bool replace_ending(std::string& word, std::string_view ending, std::string_view by,
                    std::size_t keep) {
  if (word.back() != ending.back()) return false;
  if (!word.ends_with(ending) || word.size() < ending.size() + keep) return false;
  word.resize(word.size() - ending.size());
  word += by;
  return true;
}

void drop_plural(std::string& word) {
  if (!word.ends_with('s') || word.size() < 3) return;
  if (replace_ending(word, "sses", "ss", 1) || replace_ending(word, "ies", "y", 2)) return;
  for (const std::string_view sibilant : {"xes", "ches", "shes", "zzes"}) {
    if (word.ends_with(sibilant)) return word.resize(word.size() - 2);
  }
  const char before = word[word.size() - 2];
  if (before != 's' && before != 'u' && before != 'i') word.pop_back();
}

/// Reduces a doubled last letter: "mapp" (of mapping) to "map"; "call" and "pass" keep theirs.
void undouble(std::string& word) {
  const std::size_t n = word.size();
  if (n < 4 || word[n - 1] != word[n - 2]) return;
  if (is_vowel(word[n - 1]) || std::string_view("lsz").contains(word[n - 1])) return;
  word.pop_back();
}

void drop_tense(std::string& word) {
  for (const std::string_view ending : {"ing", "ed"}) {
    if (word.back() != ending.back() || !word.ends_with(ending) ||
        word.size() < ending.size() + 3) {
      continue;
    }
    const std::string_view rest = std::string_view(word).substr(0, word.size() - ending.size());
    if (!has_vowel(rest)) return;
    word.resize(rest.size());
    return undouble(word);
  }
}

struct Ending {
  std::string_view text;
  std::string_view by;
  std::size_t keep;
};

// Longest first among endings that end alike; the first match is replaced, so "validation",
// "validator" and "validate" all become "valid".
constexpr std::array kEndings = {
    Ending{"ization", "iz", 3}, Ending{"isation", "iz", 3}, Ending{"ication", "i", 3},
    Ending{"ation", "", 4},     Ending{"ator", "", 4},      Ending{"ative", "", 4},
    Ending{"ate", "", 4},       Ending{"at", "", 5},        Ending{"ition", "it", 3},
    Ending{"tion", "t", 3},     Ending{"sion", "s", 3},     Ending{"fully", "", 3},
    Ending{"ment", "", 4},      Ending{"ness", "", 4},      Ending{"able", "", 4},
    Ending{"ible", "", 4},      Ending{"ally", "al", 4},    Ending{"ise", "iz", 4},
    Ending{"ively", "iv", 4},   Ending{"ly", "", 4},        Ending{"er", "", 4},
    Ending{"or", "", 4},
};

/// Bits of the letters with which endings end.
constexpr std::uint32_t kLastLetters = [] {
  std::uint32_t bits = 0;
  for (const Ending& ending : kEndings) bits |= 1u << (ending.text.back() - 'a');
  return bits;
}();

void drop_derivation(std::string& word) {
  if ((kLastLetters >> (word.back() - 'a') & 1) == 0) return;
  for (const Ending& ending : kEndings) {
    if (!replace_ending(word, ending.text, ending.by, ending.keep)) continue;
    if (ending.text == "er") undouble(word);
    return;
  }
}

}  // namespace

void stem(std::string& word) {
  if (word.size() < 3 || !is_lower_ascii(word)) return;
  drop_plural(word);
  if (word.size() < 4) return;
  drop_tense(word);
  drop_derivation(word);
  if (word.size() > 3 && word.ends_with('e')) word.pop_back();
  if (word.size() > 3 && word.ends_with('y')) word.back() = 'i';
}

std::string stemmed(std::string_view word) {
  std::string copy(word);
  stem(copy);
  return copy;
}

}  // namespace quarry::corpus
