#include "corpus/query/question.h"

#include "base/text.h"
#include "corpus/query/question_words.h"
#include "corpus/text/file_traits.h"
#include "corpus/text/letter_case.h"
#include "corpus/text/stemmer.h"
#include "corpus/text/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostWords = 120;
constexpr std::size_t kMostIssueWords = 1000;  // of which kMostWords are different
constexpr std::size_t kMostFirstWords = 40;    // of the first line with its full weight

/// A relevant word of the question.
struct AskedWord {
  std::string_view text;
  bool frequent;
  bool named;    // written as code: mixed case, '_', a call, or in backquotes
  bool first;    // in the first line, such as an issue's title
  double place;  // factor of its part
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

double place_of(PartKind part, bool first, const RankingWeights& w) {
  switch (part) {
    case PartKind::kTitle:
      return first ? 1 : w.body;
    case PartKind::kBody:
      return w.body;
    case PartKind::kCode:
      return w.code;
    case PartKind::kLink:
      break;
  }
  return 0;
}

bool is_number(std::string_view word) {
  return word.front() >= '0' && word.front() <= '9';
}

std::vector<AskedWord> asked_words(const QuestionForm& form, std::string_view question,
                                   const RankingWeights& w, bool keep_stop_words) {
  std::vector<AskedWord> words;
  std::set<std::string, std::less<>> known;
  const bool issue = form.shape == QuestionShape::kIssue;
  for (const QuestionPart& part : form.parts) {
    if (part.kind == PartKind::kLink) continue;
    WordScanner scanner(part.text);
    for (std::string_view word; !(word = scanner.next()).empty();) {
      if ((issue ? known.size() : words.size()) >= kMostWords) return words;
      if (words.size() >= kMostIssueWords) return words;
      if (issue && part.kind != PartKind::kTitle && is_number(word)) continue;
      const std::string lower = lower_word(word);
      const bool code = looks_like_code(word, question);
      if (!keep_stop_words && !code && is_stop_word(lower)) continue;
      if (issue && lower == "bug") continue;  // says no more than that this is an issue
      const bool first = part.kind == PartKind::kTitle && words.size() < kMostFirstWords;
      known.insert(lower);
      words.push_back(
          {word, is_frequent_word(lower) && !code, code, first, place_of(part.kind, first, w)});
    }
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
  /// Raises terms that the question repeats.
  void count(const std::string& term) { ++counts_[term]; }
  void raise(double echo) {
    for (QuestionTerm& term : terms_) {
      const auto found = counts_.find(term.term);
      if (found == counts_.end() || found->second < 2) continue;
      term.weight *= 1 + echo * std::log2(std::min(found->second, 8));
    }
  }
  std::vector<QuestionTerm> take() { return std::move(terms_); }

 private:
  std::vector<QuestionTerm> terms_;
  std::map<std::string, std::size_t> known_;
  std::map<std::string, int> counts_;
};

void add_word(const AskedWord& word, std::uint32_t number, const RankingWeights& w, TermList& out) {
  const WordTerms terms = terms_of(word.text);
  const double place = word.place;
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
  const double place = words.front().place;
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

}  // namespace

Question parse_question(std::string_view text, const RankingTable& table) {
  const QuestionForm form = form_of(text);
  const RankingWeights& weights = table.of(form.shape);
  std::vector<AskedWord> words = asked_words(form, text, weights, false);
  if (words.empty()) words = asked_words(form, text, weights, true);
  TermList terms;
  Question question;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    add_word(words[i], i, weights, terms);
    add_joined(std::span(words).subspan(i), i, weights, terms);
    for (const std::string& part : terms_of(words[i].text).parts) terms.count(part);
    if (words[i].named || words.size() == 1) {
      question.named_definitions.push_back(kDefinedTerm + fold_identifier(words[i].text));
    }
  }
  if (weights.echo != 0) terms.raise(weights.echo);
  question.mentioned = find_mentions(form);
  for (const Mention& mention : question.mentioned) {
    terms.add(TermKind::kPath, Evidence::kPath, mention.term,
              mention.place == PartKind::kTitle ? weights.path : 0, 0);
  }
  question.terms = terms.take();
  question.words = static_cast<std::uint32_t>(words.size());
  question.wanted_traits = wanted_traits(words);
  question.shape = form.shape;
  question.answer_kind = form.answer_kind;
  return question;
}

TermFilter filter_for(const Question& question) {
  TermFilter filter;
  for (const QuestionTerm& term : question.terms) filter.insert(term.term);
  for (const Mention& mention : question.mentioned) filter.insert(mention.term);
  return filter;
}

}  // namespace quarry::corpus
