#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::extractive {

/// A word of a question.
struct Term {
  std::string word;  ///< in lower case
  std::string stem;
  std::vector<std::string> synonyms;  ///< stems of other words for it
  double weight = 1;
  bool proper = false;  ///< of the name of something, such as "PHP" in an English sentence
};

/// Two neighbouring terms written as one word: "skiplist" for "skip list".
struct Compound {
  std::string word;
  std::string stem;
  std::size_t first;  ///< index of the first term; the other follows
};

/// What is known about a question before anything is looked up.
struct Question {
  std::string text;
  std::vector<Term> terms;  ///< at most 64, each stem once
  std::vector<Compound> compounds;
  std::vector<std::string> names;  ///< as the sources may spell them: "parseDate", "parse_date"
  bool detailed = false;           ///< of so many words that it asks about code
  bool about_tests = false;
  bool about_changes = false;

  /// Its words that matter, with other words for them. Empty if that adds nothing.
  [[nodiscard]] std::string other_words() const;
};

[[nodiscard]] Question read_question(std::string_view text);

}  // namespace quarry::extractive
