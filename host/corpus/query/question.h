#pragma once

#include "corpus/index/word_chunk.h"
#include "corpus/query/mentions.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Weights of each kind of evidence. The defaults were measured (see the search evaluation); zero
/// disables one.
struct RankingWeights {
  double file = 0.6;             ///< score of the whole file, added to that of its passage
  double path = 0.5;             ///< words of the path
  double whole = 1.2;            ///< the question names an identifier that the text contains
  double pair = 0.25;            ///< consecutive words of the question are joined in a defined name
  double definition = 1.0;       ///< the passage defines what the question names
  double mention = 12.0;         ///< the question mentions the file by name
  double mention_body = 0.5;     ///< factor of a mention that is not in the first line
  double body = 0.7;             ///< factor of words after the first line
  double relatives = 0.35;       ///< words with a similar meaning in programs
  double frequent = 0.8;         ///< words common in questions about code (function, handle)
  double siblings = 0.15;        ///< share of the score of its file's next best passages
  double demotion = 1.0;         ///< tests, change logs, generated text (1 = as measured)
  double rarity = 1.0;           ///< exponent of a word's inverse frequency
  double twin = 0.5;             ///< factor for the same file in another form
  double prose_for_code = 0.85;  ///< factor of documents if the question asks for code
  double source_for_documents = 0.6;  ///< factor of code if it asks how to use something
  double data = 0.7;                  ///< factor of JSON, YAML, tables unless it asks for documents
  double project = 0.65;              ///< factor of .github, manifests, snapshots
  double repeat = 0.6;                ///< factor for each further passage of a file
  double k1 = 1.2;                    ///< BM25, passages: saturation by further occurrences
  double b = 0.8;                     ///< BM25, passages: influence of their length
  double file_k1 = 1.5;
  double file_b = 0.6;
};

/// The kind of files that a question asks for, as far as its words tell.
enum class AnswerKind : std::uint8_t {
  kEither,
  kCode,           ///< where something is implemented; an error with its traceback
  kDocumentation,  ///< how to do something; differences; options
};

enum class TermKind : std::uint8_t {
  kText,         ///< a word of the question in the text
  kAlternative,  ///< another form of it in the text: an identifier, a relative
  kDefinition,
  kPath,
};

/// The evidence that a part of a score rests on.
enum class Evidence : std::uint8_t {
  kWords,       ///< a word in the passage
  kFile,        ///< a word in the whole file
  kWhole,       ///< an identifier in the passage
  kDefinition,  ///< a definition of what is named
  kPair,        ///< consecutive words, joined in a defined name or a path
  kPath,        ///< a word of the path
  kMention,     ///< the file is mentioned
  kRelatives,   ///< a word of similar meaning, in the passage or the path
  kSiblings,    ///< further passages of the file
};

/// One term to look up, with its weight.
struct QuestionTerm {
  std::string term;
  TermKind kind;
  Evidence evidence;
  double weight;
  std::uint32_t word;  ///< number of its word in the question
};

/// A parsed question, ready for lookup.
struct Question {
  std::vector<QuestionTerm> terms;
  std::uint32_t words = 0;         ///< number of words that count
  std::vector<Mention> mentioned;  ///< files and modules that it names
  std::uint8_t wanted_traits = 0;  ///< FileTraits that it asks for
  AnswerKind answer_kind = AnswerKind::kEither;
  /// Terms (kDefinedTerm) of what it names as code does, or of its only word.
  std::vector<std::string> named_definitions = {};
};

/// Parses a question. Stop words are kept if there are no other words. [any thread]
[[nodiscard]] Question parse_question(std::string_view words, const RankingWeights& weights);

/// The terms of `question`, for an index built for it alone.
[[nodiscard]] TermFilter filter_for(const Question& question);

}  // namespace quarry::corpus
