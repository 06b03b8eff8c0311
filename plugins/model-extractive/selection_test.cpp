#include "model-extractive/selection.h"

#include "model-extractive/answerer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<NumberedLine> lines_with(const std::string& text) {
  return {{1, text}};
}

TEST(Selection, TellsWhatAQuestionAsksFor) {
  EXPECT_EQ(wanted_by("How do I load a plugin?"), Wanted::kExplanation);
  EXPECT_EQ(wanted_by("What is a plugin?"), Wanted::kDefinition);
  EXPECT_EQ(wanted_by("Where is it loaded?"), Wanted::kDefinition);
  EXPECT_EQ(wanted_by("plugin loading"), Wanted::kAny);
  EXPECT_EQ(wanted_by(""), Wanted::kAny);
}

TEST(Selection, KnowsDocuments) {
  for (const char* path : {"a/README", "a/b.md", "b.rst", "c.HTML", "man/git.1"}) {
    EXPECT_TRUE(is_document(path)) << path;
  }
  for (const char* path : {"a/b.c", "md", "a.md/b.py", ""}) EXPECT_FALSE(is_document(path)) << path;
}

TEST(Selection, CountsTheWordsInAnyForm) {
  EXPECT_EQ(coverage(lines_with("The card is charging."), {"charged", "card"}), 1);
  EXPECT_EQ(coverage(lines_with("The card."), {"charged", "card"}), 0.5);
  EXPECT_EQ(coverage(lines_with("x"), {}), 0);
}

/// The answer when a search finds `places` and reading them returns `texts`, one line each.
std::string answer_for(const std::string& question,
                       const std::vector<std::pair<std::string, std::string>>& found) {
  std::string search;
  for (const auto& [path, text] : found) search += path + ":1-1\n     1\t" + text + "\n";
  Json request = {{"messages", {{{"role", "user"}, {"text", question}}}}};
  const auto give = [&](const Step& step, const auto& output_of) {
    Json calls = Json::array();
    Json results = Json::array();
    for (const ToolCall& call : step.calls) {
      const std::string id = std::to_string(calls.size());
      const Json arguments = Json::parse(call.arguments);
      calls.push_back({{"id", id}, {"name", call.name}, {"arguments", arguments}});
      results.push_back(
          {{"role", "tool"}, {"toolCallId", id}, {"text", output_of(call, arguments)}});
    }
    request["messages"].push_back({{"role", "assistant"}, {"toolCalls", calls}});
    for (const Json& result : results) request["messages"].push_back(result);
  };
  give(next_step(request), [&](const ToolCall& call, const Json&) {
    return call.name == "list" ? std::string("t/  9 files\n") : search;
  });
  const Step second = next_step(request);
  Step last = second;
  if (!second.calls.empty()) {
    give(second, [&](const ToolCall&, const Json& arguments) {
      for (const auto& [path, text] : found) {
        if (arguments.at("path") == path) return "     1\t" + text + "\n";
      }
      return std::string();
    });
    last = next_step(request);
  }
  std::string out;
  for (const std::string& paragraph : last.paragraphs) out += paragraph;
  return out;
}

TEST(Selection, QuotesDocumentsFirstForHowAndDefinitionsFirstForWhat) {
  const std::vector<std::pair<std::string, std::string>> found = {
      {"t/pool.py", "def resize pool of workers"}, {"t/pool.md", "The pool of workers is resized"}};
  const std::string how = answer_for("How is the pool of workers resized?", found);
  EXPECT_LT(how.find("[t:pool.md#L1]"), how.find("[t:pool.py#L1]"));
  const std::string what = answer_for("What is the pool of workers?", found);
  EXPECT_LT(what.find("[t:pool.py#L1]"), what.find("[t:pool.md#L1]"));
}

TEST(Selection, QuotesATextOnce) {
  const std::string text = answer_for("pool of workers", {{"t/a.js", "the pool of workers"},
                                                          {"t/a.cjs", "  the pool of workers"},
                                                          {"t/b.js", "workers in a pool"}});
  EXPECT_THAT(text, HasSubstr("[t:a.js#L1]"));
  EXPECT_THAT(text, Not(HasSubstr("a.cjs")));
  EXPECT_THAT(text, HasSubstr("[t:b.js#L1]"));
}

TEST(Selection, LeavesOutWhatFitsFarWorse) {
  const std::string text =
      answer_for("resize the pool of workers quickly",
                 {{"t/a.py", "resize the pool of workers quickly"}, {"t/b.py", "a pool"}});
  EXPECT_THAT(text, HasSubstr("[t:a.py#L1]"));
  EXPECT_THAT(text, Not(HasSubstr("t:b.py")));
}

TEST(Selection, SaysThatNothingFits) {
  const std::string text = answer_for("Which colour has the moon over Venice in winter?",
                                      {{"t/a.py", "def parse(text)"}});
  EXPECT_THAT(text, HasSubstr("found no passage"));
  EXPECT_THAT(text, Not(HasSubstr("t:a.py")));
}

}  // namespace
}  // namespace quarry::extractive
