#pragma once

#include "corpus/query/question_form.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A file or module that a question names: "net/http/server.go", "/usr/lib/python3/json/decoder.py"
/// in a traceback, "django.core.signing", "Net::HTTP".
struct Mention {
  std::vector<std::string> parts;  ///< of the path or name, lower case; at least one
  std::string term;                ///< of the index: the files that may be meant have it
  bool is_module = false;          ///< a dotted name, which has no extension
  PartKind place = PartKind::kTitle;
};

/// The mentions of a question, each once, at most 64. [any thread]
[[nodiscard]] std::vector<Mention> find_mentions(const QuestionForm& form);

/// Similarity in [0, 1] of a mention and the lower-case path of a file: 1 if one of them ends with
/// the other, less if only their last parts are equal, 0 if their names differ. [any thread]
[[nodiscard]] double mention_match(const Mention& mention, std::string_view path);

}  // namespace quarry::corpus
