#pragma once

#include "corpus/query/question_form.h"

namespace quarry::corpus {

/// Weights of each kind of evidence. The defaults, those of a short question, were measured (see
/// docs/search.md); zero disables one, a factor of 1 a rule.
struct RankingWeights {
  double file = 0.6;          ///< score of the whole file, added to that of its passage
  double path = 0.5;          ///< words of the path
  double whole = 1.2;         ///< the question names an identifier that the text contains
  double pair = 0.25;         ///< consecutive words of the question are joined in a defined name
  double definition = 1.0;    ///< the passage defines what the question names
  double mention = 12.0;      ///< the question mentions the file by name
  double mention_body = 0.5;  ///< factor of a mention that is not in the first line
  double body = 0.7;          ///< factor of words after the first line
  double code = 0.7;          ///< factor of words in fenced blocks, which only issues have
  double echo = 0.0;          ///< added to a word's weight for each doubling of its occurrences
  double relatives = 0.35;    ///< words with a similar meaning in programs
  double frequent = 0.8;      ///< words common in questions about code (function, handle)
  double siblings = 0.15;     ///< share of the score of its file's next best passages
  double rarity = 1.0;        ///< exponent of a word's inverse frequency
  double k1 = 1.2;            ///< BM25, passages: saturation by further occurrences
  double b = 0.8;             ///< BM25, passages: influence of their length
  double file_k1 = 1.5;
  double file_b = 0.6;

  // Factors of files by their traits, unless the question asks for such files.
  double tests = 0.65;
  double generated = 0.75;
  double change_logs = 0.6;
  double vendored = 0.85;
  double translations = 0.5;
  double examples = 0.9;

  // Factors of files by their role, and of passages beside better ones.
  double prose_for_code = 0.85;       ///< documents if the question asks for code
  double source_for_documents = 0.6;  ///< code if it asks how to use something
  double declarations = 1.0;          ///< declarations of code that is elsewhere
  double other = 1.0;                 ///< files of no known language
  double data = 0.7;                  ///< JSON, YAML, tables unless it asks for documents
  double project = 0.65;              ///< .github, manifests, snapshots
  double twin = 0.5;                  ///< the same file in another form
  double repeat = 0.6;                ///< each further passage of a file
  double imported = 0;                ///< exponent of the number of best files that import it
};

/// A long question describes code in other words, and repeats what it is about.
constexpr RankingWeights weights_of_long_question() {
  RankingWeights weights;
  weights.path = 0.8;
  weights.pair = 0.6;
  weights.echo = 0.3;
  weights.imported = 0.08;
  return weights;
}

/// An issue says in its title what it is about, and is answered by code.
constexpr RankingWeights weights_of_issue() {
  RankingWeights weights;
  weights.body = 0.3;
  weights.code = 0.15;
  weights.echo = 0.15;
  weights.path = 0.8;
  weights.tests = 0.45;
  weights.examples = 0.6;
  weights.prose_for_code = 0.45;
  weights.declarations = 0.6;
  weights.other = 0.6;
  weights.project = 0.4;
  return weights;
}

/// The weights for each form of question.
struct RankingTable {
  RankingWeights short_question = {};
  RankingWeights long_question = weights_of_long_question();
  RankingWeights issue = weights_of_issue();

  [[nodiscard]] const RankingWeights& of(QuestionShape shape) const {
    switch (shape) {
      case QuestionShape::kLong:
        return long_question;
      case QuestionShape::kIssue:
        return issue;
      case QuestionShape::kShort:
        break;
    }
    return short_question;
  }
};

}  // namespace quarry::corpus
