#include "model-extractive/question.h"

#include "model-extractive/words.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace quarry::extractive {
namespace {

constexpr std::size_t kMostTerms = 64;
constexpr std::size_t kMostNames = 3;
constexpr std::size_t kDetailedWords = 18;
constexpr double kVagueWeight = 0.35;
constexpr int kEnglishWords = 2;

/// Words that documents use for each other.
using Synonyms = std::array<std::string_view, 5>;  ///< "" after the last
constexpr auto kSynonyms = std::to_array<Synonyms>({
    {"delete", "remove", "erase", "flush", "clear"},
    {"folder", "directory"},
    {"undo", "revert", "reset"},
    {"throw", "discard", "remove"},
    {"change", "modify", "edit", "amend"},
    {"show", "display", "print"},
    {"stop", "cancel", "abort", "close", "shutdown"},
    {"save", "store", "persist"},
    {"password", "credential"},
    {"turn", "convert", "coerce", "transform"},
    {"combine", "merge", "squash", "fold"},
    {"exclude", "ignore", "skip", "leave"},
    {"allow", "permit", "enable"},
    {"limit", "maximum", "max"},
    {"several", "multiple"},
    {"span", "across"},
    {"equal", "match", "same"},
    {"translate", "internationalization", "locale"},
    {"ask", "prompt"},
    {"decide", "determine", "detect"},
    {"draw", "render"},
    {"grow", "expand", "resize"},
    {"run", "execute", "invoke"},
    {"visible", "available", "accessible"},
    {"error", "exception"},
});

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// True for words that only source code has: "parse_date", "parseDate".
bool looks_like_a_name(std::string_view word) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    const bool small = word[i - 1] >= 'a' && word[i - 1] <= 'z';
    if (small && word[i] >= 'A' && word[i] <= 'Z') return true;
    if (word[i] == '_' && i + 1 < word.size()) return true;
  }
  return false;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size() && out.size() < kMostNames;) {
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool called = text.substr(end).starts_with("()");
    if (word.size() > 1 && (looks_like_a_name(word) || called)) out.emplace_back(word);
    at = end + 1;
  }
  return out;
}

std::vector<std::string> synonyms_for(std::string_view stemmed) {
  std::vector<std::string> out;
  for (const Synonyms& group : kSynonyms) {
    const bool among =
        std::ranges::any_of(group, [&](std::string_view word) { return stem(word) == stemmed; });
    if (!among) continue;
    for (const std::string_view word : group) {
      if (!word.empty() && stem(word) != stemmed) out.emplace_back(word);
    }
  }
  return out;
}

bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

/// True if English function words show that capitals mean names, as they do not in German.
bool is_english(std::string_view text) {
  return std::ranges::count_if(words_of(text), is_common) >= kEnglishWords;
}

/// The word before the ending of "Python's" and of "UUIDs"; "I" of "I'm".
std::string_view without_ending(std::string_view word) {
  word = word.substr(0, word.find('\''));
  const std::size_t letters = word.find_last_not_of(".,:;!?)");
  if (letters != word.npos && letters > 1 && word[letters] == 's' && is_capital(word[letters - 1]))
    return word.substr(0, letters);
  return word;
}

/// Marks the terms that are spelt with a capital within a sentence, or with several.
void mark_proper_names(std::string_view text, std::vector<Term>& terms) {
  bool inside = false;  // a sentence, behind its first word
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    const std::string_view whole = text.substr(at, end - at);
    const std::string_view token = without_ending(whole);
    if (std::ranges::count_if(token, is_capital) > (inside ? 0 : 1)) {
      const std::vector<std::string> words = words_of(token);
      for (Term& term : terms) {
        term.proper = term.proper || std::ranges::find(words, term.word) != words.end();
      }
    }
    if (!whole.empty()) inside = !std::string_view(".:!?").contains(whole.back());
    at = end + 1;
  }
}

void add_terms(std::string_view text, Question& question) {
  std::vector<Term>& terms = question.terms;
  std::string previous;  // word of the last term, unless another word came after it
  for (const std::string& word : words_of(text)) {
    std::string stemmed = stem(word);
    const bool known = std::ranges::find(terms, stemmed, &Term::stem) != terms.end();
    if (is_common(word) || known || terms.size() == kMostTerms) {
      previous.clear();
      continue;
    }
    if (!previous.empty()) {
      question.compounds.push_back({previous + word, stem(previous + word), terms.size() - 1});
    }
    std::vector<std::string> synonyms;
    for (const std::string& other : synonyms_for(stemmed)) synonyms.push_back(stem(other));
    terms.push_back(
        {word, std::move(stemmed), std::move(synonyms), is_vague(word) ? kVagueWeight : 1, false});
    previous = word;
  }
}

/// True for a question about use, which documents answer whatever its length.
bool asks_how_to(std::string_view text) {
  static constexpr auto kPhrases = std::to_array<std::string_view>(
      {"how do i ", "how do we ", "how can i ", "how can we ", "how to ", "is there a"});
  const std::string lower = lowered(text.substr(0, 20));
  return std::ranges::any_of(kPhrases,
                             [&](std::string_view phrase) { return lower.starts_with(phrase); });
}

bool has_any(const std::vector<Term>& terms, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return std::ranges::find(terms, stem(word), &Term::stem) != terms.end();
  });
}

}  // namespace

std::string Question::other_words() const {
  std::string out;
  bool more = !compounds.empty();
  for (const Term& term : terms) {
    if (!is_vague(term.word)) out += term.word + ' ';
    for (const std::string& word : synonyms_for(term.stem)) {
      out += word + ' ';
      more = true;
    }
  }
  for (const Compound& compound : compounds) out += compound.word + ' ';
  return more && !detailed ? out : std::string();
}

Question read_question(std::string_view text) {
  Question out;
  out.text = text;
  add_terms(text, out);
  out.names = names_in(text);
  if (is_english(text)) mark_proper_names(text, out.terms);
  out.detailed = words_of(text).size() >= kDetailedWords && !asks_how_to(text);
  out.about_tests = has_any(out.terms, {"test", "tests", "testing", "mock", "fixture"});
  out.about_changes = has_any(out.terms, {"changelog", "release", "version", "upgrade", "migrate"});
  return out;
}

}  // namespace quarry::extractive
