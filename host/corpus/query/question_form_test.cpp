#include "corpus/query/question_form.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;

/// The texts of one kind of part.
std::vector<std::string> texts(std::string_view question, PartKind kind) {
  std::vector<std::string> out;
  for (const QuestionPart& part : form_of(question).parts) {
    if (part.kind == kind) out.emplace_back(part.text);
  }
  return out;
}

constexpr std::string_view kIssue = R"(Cart loses items
<!-- Thank you for reporting!
     Please fill in everything. -->
- [x] I searched for similar issues

### Describe the bug
Items vanish after a payment, see https://example.org/src/cart.py#L3 for it.

```
total = cart.total()
ValueError: no items
```

### Environment
- Debian, as a container

### Anything else
- OS: Linux
_No response_
)";

TEST(QuestionForms, AreToldByLengthLinesAndMarks) {
  std::string words;
  for (int i = 0; i < 80; ++i) words += "word ";
  const std::pair<std::string, QuestionShape> table[] = {
      {"", QuestionShape::kShort},
      {"where is the cart emptied", QuestionShape::kShort},
      {"Cart loses items\n\nItems vanish after a payment.\nWhy?", QuestionShape::kShort},
      {words, QuestionShape::kLong},
      {"title\n" + words + "\nmore\nmore", QuestionShape::kIssue},
      {"title\n" + words, QuestionShape::kShort},
      {std::string(kIssue), QuestionShape::kIssue},
      {"title\n```\na\nb\n```\n", QuestionShape::kIssue},
  };
  for (const auto& [question, shape] : table) EXPECT_EQ(form_of(question).shape, shape) << question;
}

TEST(QuestionForms, LeaveOutTheTemplateOfAnIssue) {
  EXPECT_THAT(texts(kIssue, PartKind::kTitle), ElementsAre("Cart loses items"));
  EXPECT_THAT(texts(kIssue, PartKind::kBody),
              ElementsAre("Items vanish after a payment, see ", " for it."));
  EXPECT_THAT(texts(kIssue, PartKind::kCode),
              ElementsAre("total = cart.total()", "ValueError: no items"));
  EXPECT_THAT(texts(kIssue, PartKind::kLink), ElementsAre("https://example.org/src/cart.py#L3"));
}

TEST(QuestionForms, KeepWhatABrokenTemplateHolds) {
  const std::string issue = "title\n<!-- never closed\n## a\nkept\n```\nin a fence\n";
  EXPECT_THAT(texts(issue, PartKind::kBody), ElementsAre("kept"));
  EXPECT_THAT(texts(issue, PartKind::kCode), ElementsAre("in a fence"));
}

TEST(QuestionForms, KeepSentencesThatLookLikeAnEnvironment) {
  const std::string issue =
      "title\n## a\n## b\nVersion: 1.2\n"
      "After the upgrade of the version: the cart is empty whenever a customer pays twice in a "
      "row\n";
  EXPECT_THAT(texts(issue, PartKind::kBody), ElementsAre(::testing::StartsWith("After the")));
}

// Each beginning of a comment once had the rest of the question searched for an end.
TEST(QuestionForms, OfIssuesMayHaveManyCommentsWithoutEnd) {
  std::string issue = "title\n";
  for (int i = 0; i < 10'000; ++i) issue += "<!--\n";
  EXPECT_THAT(texts(issue + "## a\nkept\n", PartKind::kBody), ElementsAre("kept"));
}

TEST(QuestionForms, OfIssuesAskForCode) {
  const std::string body = "\n## a\n```\nWhat is this?\n```\n";
  EXPECT_EQ(form_of("What is shown is wrong" + body).answer_kind, AnswerKind::kCode);
  EXPECT_EQ(form_of("How to empty a cart" + body).answer_kind, AnswerKind::kEither);
}

TEST(QuestionForms, OfLongQuestionsNeverAskForDocumentationAlone) {
  const std::string rest =
      " the method that empties the cart of a customer after the payment has been accepted twice?";
  EXPECT_EQ(form_of("What is" + rest).answer_kind, AnswerKind::kCode);
  EXPECT_EQ(form_of("How do I call" + rest).answer_kind, AnswerKind::kEither);
}

TEST(QuestionForms, OfAnyLengthAreBounded) {
  std::string log = "title\n```\n";
  for (int i = 0; i < 100'000; ++i) log += "line " + std::to_string(i) + "\n";
  const QuestionForm form = form_of(log);
  EXPECT_EQ(form.shape, QuestionShape::kIssue);
  EXPECT_LT(form.parts.size(), 10'000u);
}

}  // namespace
}  // namespace quarry::corpus
