#pragma once

#include "corpus/index/word_chunk.h"
#include "corpus/query/mentions.h"
#include "corpus/query/question_form.h"
#include "corpus/query/ranking_weights.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

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
  QuestionShape shape = QuestionShape::kShort;
  AnswerKind answer_kind = AnswerKind::kEither;
  /// Terms (kDefinedTerm) of what it names as code does, or of its only word.
  std::vector<std::string> named_definitions = {};
};

/// Parses a question. Stop words are kept if there are no other words. [any thread]
[[nodiscard]] Question parse_question(std::string_view words, const RankingTable& table);

/// The terms of `question`, for an index built for it alone.
[[nodiscard]] TermFilter filter_for(const Question& question);

}  // namespace quarry::corpus
