#include "corpus/query/question.h"

#include "base/text.h"
#include "corpus/query/question_words.h"
#include "corpus/text/file_traits.h"
#include "corpus/text/letter_case.h"
#include "corpus/text/stemmer.h"
#include "corpus/text/words.h"

#include <algorithm>
#include <map>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostWords = 40;

/// A relevant word of the question.
struct AskedWord {
  std::string_view text;
  bool frequent;
  bool named;  // written as code: mixed case, '_', a call, or in backquotes
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

std::vector<AskedWord> asked_words(std::string_view question, bool keep_stop_words) {
  std::vector<AskedWord> words;
  WordScanner scanner(question);
  for (std::string_view word; !(word = scanner.next()).empty() && words.size() < kMostWords;) {
    const std::string lower = lower_word(word);
    const bool code = looks_like_code(word, question);
    if (!keep_stop_words && !code && is_stop_word(lower)) continue;
    words.push_back({word, is_frequent_word(lower) && !code, code});
  }
  return words;
}

/// Collects terms; a repeated term gets its greatest weight.
class TermList {
 public:
  void add(TermKind kind, std::string term, double weight, std::uint32_t word) {
    if (weight <= 0 || term.empty()) return;
    const auto [at, is_new] = known_.try_emplace(term, terms_.size());
    if (is_new) {
      terms_.push_back({std::move(term), kind, weight, word});
    } else if (QuestionTerm& old = terms_[at->second]; old.weight < weight) {
      old = {std::move(old.term), kind, weight, word};
    }
  }
  std::vector<QuestionTerm> take() { return std::move(terms_); }

 private:
  std::vector<QuestionTerm> terms_;
  std::map<std::string, std::size_t> known_;
};

void add_word(const AskedWord& word, std::uint32_t number, const RankingWeights& w, TermList& out) {
  const WordTerms terms = terms_of(word.text);
  const double base = word.frequent ? w.frequent : 1.0;
  for (const std::string& part : terms.parts) {
    out.add(TermKind::kText, part, base, number);
    out.add(TermKind::kPath, kPathTerm + part, base * w.path, number);
    for (const std::string_view other : relatives_of(part)) {
      out.add(TermKind::kAlternative, std::string(other), base * w.relatives, number);
      out.add(TermKind::kPath, kPathTerm + std::string(other), base * w.relatives * w.path, number);
    }
  }
  out.add(TermKind::kAlternative, terms.whole, w.whole, number);
  if (!terms.whole.empty()) out.add(TermKind::kPath, kPathTerm + terms.whole, w.path, number);
  const double exact = word.named ? 1.0 : word.frequent ? 0.1 : 0.4;
  out.add(TermKind::kDefinition, kDefinedTerm + fold_identifier(word.text), w.definition * exact,
          number);
  out.add(TermKind::kDefinition, kDefinedStem + join_stems(word.text), w.definition * exact * 0.5,
          number);
}

/// Adds two or three consecutive words as one identifier: "thread pool" finds ThreadPool.
void add_joined(std::span<const AskedWord> words, std::uint32_t number, const RankingWeights& w,
                TermList& out) {
  std::string joined;
  bool frequent = true;
  for (std::size_t i = 0; i < words.size() && i < 3; ++i) {
    joined += join_stems(words[i].text);
    frequent = frequent && words[i].frequent;
    if (i == 0 || frequent || joined.size() > kMaxWordBytes) continue;
    out.add(TermKind::kDefinition, kDefinedStem + joined, w.pair * w.definition, number);
    out.add(TermKind::kPath, kPathTerm + joined, w.pair * w.path, number);
  }
}

/// Runs without white space that look like a file: "net/http/server.go", "server.go".
std::vector<std::string> mentioned_files(std::string_view question) {
  std::vector<std::string> files;
  std::string lower = to_lower(question);
  std::ranges::replace_if(
      lower, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  for (std::string_view run : split(lower, ' ')) {
    while (!run.empty() && std::string_view("`'\"(<[.,:;").contains(run.front())) {
      run.remove_prefix(1);
    }
    while (!run.empty() && std::string_view("`'\")>].,:;?!").contains(run.back())) {
      run.remove_suffix(1);
    }
    const std::size_t dot = run.rfind('.');
    const bool extension = dot != run.npos && dot > 0 && run.size() - dot <= 6 &&
                           run.size() - dot > 1 && run.find('(') == run.npos;
    const bool folder = run.contains('/') && run.size() > 3;
    if (extension || folder) files.emplace_back(run);
  }
  return files;
}

std::uint8_t wanted_traits(std::span<const AskedWord> words) {
  std::uint8_t traits = 0;
  for (const AskedWord& word : words) {
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

Question parse_question(std::string_view text, const RankingWeights& weights) {
  std::vector<AskedWord> words = asked_words(text, false);
  if (words.empty()) words = asked_words(text, true);
  TermList terms;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    add_word(words[i], i, weights, terms);
    add_joined(std::span(words).subspan(i), i, weights, terms);
  }
  Question question;
  question.mentioned = mentioned_files(text);
  for (const std::string& file : question.mentioned) {
    terms.add(TermKind::kPath, kPathTerm + file.substr(file.rfind('/') + 1), weights.path, 0);
  }
  question.terms = terms.take();
  question.words = static_cast<std::uint32_t>(words.size());
  question.wanted_traits = wanted_traits(words);
  return question;
}

TermFilter filter_for(const Question& question) {
  TermFilter filter;
  for (const QuestionTerm& term : question.terms) filter.insert(term.term);
  return filter;
}

}  // namespace quarry::corpus
