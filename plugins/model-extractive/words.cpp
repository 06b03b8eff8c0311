#include "model-extractive/words.h"

#include <algorithm>
#include <array>

namespace quarry::extractive {
namespace {

constexpr auto kCommonWords = std::to_array<std::string_view>(
    {"a",      "about", "also",  "am",   "an",     "and",   "any",   "are",  "as",    "at",
     "be",     "been",  "but",   "by",   "can",    "could", "did",   "do",   "does",  "doing",
     "done",   "for",   "from",  "get",  "gets",   "got",   "had",   "has",  "have",  "he",
     "her",    "his",   "how",   "i",    "if",     "in",    "into",  "is",   "it",    "its",
     "itself", "let",   "may",   "me",   "my",     "not",   "of",    "on",   "one",   "or",
     "our",    "own",   "s",     "she",  "should", "so",    "some",  "t",    "than",  "that",
     "the",    "their", "them",  "then", "there",  "these", "they",  "this", "those", "to",
     "use",    "used",  "using", "want", "was",    "we",    "were",  "what", "when",  "where",
     "which",  "who",   "whose", "why",  "will",   "with",  "would", "you",  "your"});

constexpr auto kVagueWords = std::to_array<std::string_view>(
    {"after",   "again",     "all",     "allow", "always", "another", "back",     "been",
     "before",  "best",      "between", "both",  "call",   "called",  "come",     "comes",
     "correct", "different", "down",    "each",  "easy",   "every",   "exact",    "far",
     "find",    "first",     "give",    "given", "good",   "happen",  "happens",  "inside",
     "instead", "itself",    "just",    "keep",  "kept",   "know",    "like",     "long",
     "look",    "made",      "make",    "makes", "many",   "mean",    "more",     "most",
     "much",    "need",      "never",   "new",   "no",     "now",     "off",      "often",
     "once",    "only",      "other",   "out",   "over",   "please",  "possible", "proper",
     "put",     "right",     "run",     "runs",  "same",   "see",     "simple",   "stay",
     "still",   "such",      "take",    "thing", "things", "through", "together", "too",
     "under",   "until",     "up",      "very",  "via",    "way",     "ways",     "well",
     "while",   "whole",     "without", "work",  "works",  "write",   "wrong"});

// For binary search.
static_assert(std::ranges::is_sorted(kCommonWords));
static_assert(std::ranges::is_sorted(kVagueWords));

// Longest first.
constexpr auto kEndings = std::to_array<std::string_view>(
    {"ications", "ication", "izations", "ization", "ations", "ation", "ements", "ement",
     "ments",    "ment",    "ances",    "ance",    "ences",  "ence",  "ables",  "able",
     "ities",    "ity",     "ions",     "ion",     "ings",   "ing",   "ives",   "ive",
     "ally",     "ies",     "ied",      "ers",     "ors",    "ed",    "er",     "or",
     "es",       "ly",      "al",       "s",       "e",      "y"});
constexpr std::size_t kShortestStem = 3;

enum class Kind { kOther, kLower, kUpper, kDigit, kWide };

Kind kind_of(char c) {
  if (c >= 'a' && c <= 'z') return Kind::kLower;
  if (c >= 'A' && c <= 'Z') return Kind::kUpper;
  if (c >= '0' && c <= '9') return Kind::kDigit;
  return (c & 0x80) != 0 ? Kind::kWide : Kind::kOther;
}

/// True if a word ends before `text[at]`, which belongs to a word as text[at - 1] does.
bool word_ends(std::string_view text, std::size_t at) {
  const Kind before = kind_of(text[at - 1]);
  const Kind after = kind_of(text[at]);
  if (before == Kind::kWide || after == Kind::kWide) return false;
  if ((before == Kind::kDigit) != (after == Kind::kDigit)) return true;
  if (after != Kind::kUpper) {  // "HTTPServer": before the "S" of "Server"
    return false;
  }
  return before == Kind::kLower ||
         (at + 1 < text.size() && kind_of(text[at + 1]) == Kind::kLower && before == Kind::kUpper);
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

std::string stem(std::string_view word) {
  for (const std::string_view ending : kEndings) {
    if (!word.ends_with(ending) || word.size() < ending.size() + kShortestStem) continue;
    word.remove_suffix(ending.size());
    // "stopp" of "stopping", but "pass" of "passing".
    const std::size_t size = word.size();
    const char last = word.back();
    if (size > kShortestStem && last == word[size - 2] && last != 's' && last != 'l') {
      word.remove_suffix(1);
    }
    break;
  }
  return std::string(word);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    if (kind_of(text[at]) == Kind::kOther) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && kind_of(text[end]) != Kind::kOther && !word_ends(text, end)) ++end;
    out.push_back(lowered(text.substr(at, end - at)));
    at = end;
  }
  return out;
}

std::vector<std::string> stems_of(std::string_view text) {
  std::vector<std::string> out = words_of(text);
  for (std::string& word : out) word = stem(word);
  return out;
}

bool is_common(std::string_view word) {
  return std::binary_search(kCommonWords.begin(), kCommonWords.end(), word);
}

bool is_vague(std::string_view word) {
  return std::binary_search(kVagueWords.begin(), kVagueWords.end(), word);
}

}  // namespace quarry::extractive
