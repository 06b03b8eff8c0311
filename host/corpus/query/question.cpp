#include "corpus/query/question.h"

#include "base/text.h"
#include "corpus/query/question_words.h"
#include "corpus/text/file_traits.h"
#include "corpus/text/letter_case.h"
#include "corpus/text/stemmer.h"
#include "corpus/text/words.h"

#include <algorithm>
#include <array>
#include <map>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostWords = 120;
constexpr std::size_t kMostFirstWords = 40;  // of the first line with its full weight

/// A relevant word of the question.
struct AskedWord {
  std::string_view text;
  bool frequent;
  bool named;  // written as code: mixed case, '_', a call, or in backquotes
  bool first;  // in the first line, such as an issue's title
};

bool looks_like_code(std::string_view word, std::string_view question) {
  const auto at = static_cast<std::size_t>(word.data() - question.data());
  const char before = at > 0 ? question[at - 1] : ' ';
  const char after = at + word.size() < question.size() ? question[at + word.size()] : ' ';
  const bool inner_capital = std::ranges::any_of(word.substr(1), is_upper);
  return word.contains('_') || inner_capital || before == '`' || after == '`' || after == '(' ||
         before == '.' ||
         (after == '.' && at + word.size() + 1 < question.size() &&
          question[at + word.size() + 1] > ' ');
}

/// The first line that has text.
std::string_view first_line_of(std::string_view question) {
  const std::size_t begin = std::min(question.find_first_not_of(" \t\r\n"), question.size());
  return question.substr(begin, question.find('\n', begin) - begin);
}

std::vector<AskedWord> asked_words(std::string_view question, bool keep_stop_words) {
  std::vector<AskedWord> words;
  const std::string_view title = first_line_of(question);
  WordScanner scanner(question);
  for (std::string_view word; !(word = scanner.next()).empty() && words.size() < kMostWords;) {
    const std::string lower = lower_word(word);
    const bool code = looks_like_code(word, question);
    if (!keep_stop_words && !code && is_stop_word(lower)) continue;
    const bool first = word.data() < title.data() + title.size() && words.size() < kMostFirstWords;
    words.push_back({word, is_frequent_word(lower) && !code, code, first});
  }
  return words;
}

/// Collects terms; a repeated term gets its greatest weight.
class TermList {
 public:
  void add(TermKind kind, Evidence evidence, std::string term, double weight, std::uint32_t word) {
    if (weight <= 0 || term.empty()) return;
    const auto [at, is_new] = known_.try_emplace(term, terms_.size());
    if (is_new) {
      terms_.push_back({std::move(term), kind, evidence, weight, word});
    } else if (QuestionTerm& old = terms_[at->second]; old.weight < weight) {
      old = {std::move(old.term), kind, evidence, weight, word};
    }
  }
  std::vector<QuestionTerm> take() { return std::move(terms_); }

 private:
  std::vector<QuestionTerm> terms_;
  std::map<std::string, std::size_t> known_;
};

void add_word(const AskedWord& word, std::uint32_t number, const RankingWeights& w, TermList& out) {
  const WordTerms terms = terms_of(word.text);
  const double place = word.first ? 1.0 : w.body;
  const double base = place * (word.frequent ? w.frequent : 1.0);
  for (const std::string& part : terms.parts) {
    out.add(TermKind::kText, Evidence::kWords, part, base, number);
    out.add(TermKind::kPath, Evidence::kPath, kPathTerm + part, base * w.path, number);
    for (const std::string_view other : relatives_of(part)) {
      out.add(TermKind::kAlternative, Evidence::kRelatives, std::string(other), base * w.relatives,
              number);
      out.add(TermKind::kPath, Evidence::kRelatives, kPathTerm + std::string(other),
              base * w.relatives * w.path, number);
    }
  }
  out.add(TermKind::kAlternative, Evidence::kWhole, terms.whole, place * w.whole, number);
  if (!terms.whole.empty()) {
    out.add(TermKind::kPath, Evidence::kPath, kPathTerm + terms.whole, place * w.path, number);
  }
  const double exact = place * (word.named ? 1.0 : word.frequent ? 0.1 : 0.4);
  out.add(TermKind::kDefinition, Evidence::kDefinition, kDefinedTerm + fold_identifier(word.text),
          w.definition * exact, number);
  out.add(TermKind::kDefinition, Evidence::kDefinition, kDefinedStem + join_stems(word.text),
          w.definition * exact * 0.5, number);
}

/// Adds two or three consecutive words as one identifier: "thread pool" finds ThreadPool.
void add_joined(std::span<const AskedWord> words, std::uint32_t number, const RankingWeights& w,
                TermList& out) {
  std::string joined;
  bool frequent = true;
  const double place = words.front().first ? 1.0 : w.body;
  for (std::size_t i = 0; i < words.size() && i < 3; ++i) {
    joined += join_stems(words[i].text);
    frequent = frequent && words[i].frequent;
    if (i == 0 || frequent || joined.size() > kMaxWordBytes) continue;
    out.add(TermKind::kDefinition, Evidence::kPair, kDefinedStem + joined,
            place * w.pair * w.definition, number);
    out.add(TermKind::kPath, Evidence::kPair, kPathTerm + joined, place * w.pair * w.path, number);
  }
}

std::uint8_t wanted_traits(std::span<const AskedWord> words) {
  std::uint8_t traits = 0;
  for (const AskedWord& word : words) {
    if (!word.first) continue;
    const std::string s = stemmed(lower_word(word.text));
    if (s == "test" || s == "benchmark" || s == "fixture" || s == "mock") traits |= kTestFile;
    if (s == "changelog" || s == "licens" || s == "releas" || s == "news") traits |= kChangelogFile;
    if (s == "exampl" || s == "demo" || s == "sample" || s == "sampl") traits |= kExampleFile;
    if (s == "local" || s == "translat" || s == "i18n") traits |= kLocaleFile;
    if (s == "vendor" || s == "vendored") traits |= kVendoredFile;
    if (s == "generat") traits |= kGeneratedFile;
  }
  return traits;
}

bool has_any(std::string_view text, std::span<const std::string_view> phrases) {
  return std::ranges::any_of(phrases,
                             [&](std::string_view phrase) { return text.contains(phrase); });
}

constexpr auto kCodePhrases = std::to_array<std::string_view>(
    {"where is ", "where are ", "where does ", "where do ", "which code ", "which function ",
     "which class ", "which module ", "which method ", "implement", "source code of"});
constexpr auto kDocumentPhrases = std::to_array<std::string_view>(
    {"how do i ", "how do we ", "how can i ", "how can we ", "how to ", "how should ", "what is ",
     "what are ", "what does ", "difference between", "is there a", "documented", "when must ",
     "when should ", "which option", "which page", "meaning of", "best practice"});
constexpr auto kTracePhrases = std::to_array<std::string_view>(
    {"traceback (most", "\n    at ", "\n\tat ", "\", line ", "goroutine ", "backtrace:"});

AnswerKind answer_kind_of(std::string_view question) {
  const std::string lower = to_lower(question);
  if (has_any(lower, kCodePhrases)) return AnswerKind::kCode;
  if (has_any(lower, kDocumentPhrases)) return AnswerKind::kDocumentation;
  if (has_any(lower, kTracePhrases)) return AnswerKind::kCode;
  return AnswerKind::kEither;
}

}  // namespace

Question parse_question(std::string_view text, const RankingWeights& weights) {
  std::vector<AskedWord> words = asked_words(text, false);
  if (words.empty()) words = asked_words(text, true);
  TermList terms;
  Question question;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    add_word(words[i], i, weights, terms);
    add_joined(std::span(words).subspan(i), i, weights, terms);
    if (words[i].named || words.size() == 1) {
      question.named_definitions.push_back(kDefinedTerm + fold_identifier(words[i].text));
    }
  }
  question.mentioned = find_mentions(text);
  for (const Mention& mention : question.mentioned) {
    terms.add(TermKind::kPath, Evidence::kPath, mention.term,
              mention.in_first_line ? weights.path : 0, 0);
  }
  question.terms = terms.take();
  question.words = static_cast<std::uint32_t>(words.size());
  question.wanted_traits = wanted_traits(words);
  question.answer_kind = answer_kind_of(text);
  return question;
}

TermFilter filter_for(const Question& question) {
  TermFilter filter;
  for (const QuestionTerm& term : question.terms) filter.insert(term.term);
  for (const Mention& mention : question.mentioned) filter.insert(mention.term);
  return filter;
}

}  // namespace quarry::corpus
