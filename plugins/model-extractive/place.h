#pragma once

#include "model-extractive/question.h"

#include <string_view>

namespace quarry::extractive {

/// True for Markdown, reStructuredText, AsciiDoc, HTML, manual pages and a README.
[[nodiscard]] bool is_document(std::string_view path);

/// True for documents, for what is in a folder of documents, and for commented configuration files.
[[nodiscard]] bool explains(std::string_view path);

/// A factor in (0, 1] for passages of the file `path`: low for files that repeat words of an answer
/// without giving it, such as change logs, licences, tests, translations, data and bundled sources,
/// unless the question asks for them.
[[nodiscard]] double trust_in(std::string_view path, const Question& question);

/// True for a line that never answers: an import, a link of a table of contents, a copyright, a
/// directive of a document without text. `document`: is_document of its file.
[[nodiscard]] bool is_filler(std::string_view line, bool document);

}  // namespace quarry::extractive
