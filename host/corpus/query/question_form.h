#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The form that a question has, by its length and lines alone. It decides with which weights the
/// question is ranked.
enum class QuestionShape : std::uint8_t {
  kShort,  ///< a few words, a line, a title with a few lines
  kLong,   ///< begins with a line of many words, which describes code without naming it
  kIssue,  ///< a report: title, description, steps, logs, often by a template
};

/// The kind of files that a question asks for, as far as its words tell.
enum class AnswerKind : std::uint8_t {
  kEither,
  kCode,           ///< where something is implemented; an error with its traceback
  kDocumentation,  ///< how to do something; differences; options
};

enum class PartKind : std::uint8_t {
  kTitle,  ///< the first line with text
  kBody,   ///< what is written below it
  kCode,   ///< lines of a fenced block: code, commands, logs, traces
  kLink,   ///< an address, which may name a file and whose words say nothing
};

/// A part of a question that counts, a view into its text.
struct QuestionPart {
  std::string_view text;
  PartKind kind;
};

struct QuestionForm {
  QuestionShape shape = QuestionShape::kShort;
  AnswerKind answer_kind = AnswerKind::kEither;
  /// In order. Of an issue without the text of its template: comments, headings, check boxes,
  /// sections and lists that describe the environment.
  std::vector<QuestionPart> parts = {};
};

/// Tells the form of a question of any length, of which the first 64 KiB are read. The views of the
/// result point into `question`. [any thread]
[[nodiscard]] QuestionForm form_of(std::string_view question);

[[nodiscard]] std::string_view name_of(QuestionShape shape);
[[nodiscard]] std::string_view name_of(AnswerKind kind);

}  // namespace quarry::corpus
