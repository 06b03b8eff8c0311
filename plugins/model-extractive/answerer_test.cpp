#include "model-extractive/answerer.h"

#include "model-extractive/excerpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kList = "docs/  2 files\n@kit/docs/  1 file\n";
constexpr const char* kSearch =
    "docs/date.py:4-7  def parse_date\n     4\tdef parse_date(text):\n\n"
    "@kit/docs/guide.md:1-3\n     1\t# Guide\n";

/// A conversation that grows by the test's results for each step's calls.
class Talk {
 public:
  explicit Talk(const std::string& question) {
    request_["messages"] = {{{"role", "user"}, {"text", question}}};
  }
  Step step() { return last_ = next_step(request_); }
  void give(const std::vector<std::string>& outputs, bool failed = false) {
    Json calls = Json::array();
    Json results = Json::array();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string id = "c" + std::to_string(i);
      calls.push_back({{"id", id},
                       {"name", last_.calls[i].name},
                       {"arguments", Json::parse(last_.calls[i].arguments)}});
      results.push_back(
          {{"role", "tool"}, {"toolCallId", id}, {"text", outputs[i]}, {"failed", failed}});
    }
    request_["messages"].push_back({{"role", "assistant"}, {"toolCalls", calls}});
    for (Json& result : results) request_["messages"].push_back(result);
  }
  void forbid_tools() { request_["toolsAllowed"] = false; }

 private:
  Json request_;
  Step last_;
};

std::string text_of(const Step& step) {
  std::string out;
  for (const std::string& paragraph : step.paragraphs) out += paragraph;
  return out;
}

TEST(Answerer, EncodesBracketsInThePathThatItCites) {
  Talk talk("How is a date parsed?");
  talk.step();
  talk.give({kList, "docs/a]b[c.md:4-5\n     4\tdef parse_date(text):\n"});
  talk.step();
  talk.give({"     4\tdef parse_date(text):\n"});
  EXPECT_THAT(text_of(talk.step()), HasSubstr("[docs:a%5Db%5Bc.md#L4]"));
}

TEST(Answerer, SearchesThenReadsThenQuotes) {
  Talk talk("How is a date parsed?");
  const Step first = talk.step();
  ASSERT_EQ(first.calls.size(), 2u);
  EXPECT_EQ(first.calls[1].name, "search");
  EXPECT_THAT(first.calls[1].arguments, HasSubstr("How is a date parsed?"));
  talk.give({kList, kSearch});

  const Step second = talk.step();
  ASSERT_EQ(second.calls.size(), 2u);
  EXPECT_EQ(Json::parse(second.calls[0].arguments),
            Json({{"path", "@kit/docs/guide.md"}, {"offset", 1}, {"limit", 3}}));
  EXPECT_EQ(Json::parse(second.calls[1].arguments),
            Json({{"path", "docs/date.py"}, {"offset", 4}, {"limit", 4}}));
  talk.give({"     1\t# A date is parsed\n     2\t\n",
             "     4\tdef parse_date(text):\n     5\t    return text\n\nLines 4-5 of 9."});

  const Step third = talk.step();
  EXPECT_THAT(third.calls, IsEmpty());
  const std::string text = text_of(third);
  EXPECT_THAT(text, ::testing::StartsWith("No model wrote this"));
  EXPECT_THAT(
      text,
      HasSubstr("[docs:date.py#L4-L5]\n\n```\ndef parse_date(text):\n    return text\n```\n"));
  EXPECT_THAT(text, HasSubstr("[@kit/docs:guide.md#L1]\n\n```\n# A date is parsed\n```\n"));
}

TEST(Answerer, SaysSoWhenNothingWasFound) {
  Talk talk("zzz?");
  talk.step();
  talk.give({kList, "Nothing fits."});
  const Step step = talk.step();
  EXPECT_THAT(step.calls, IsEmpty());
  EXPECT_THAT(text_of(step), HasSubstr("found no passage"));
}

TEST(Answerer, EndsWhenItsToolsFailOrAreForbidden) {
  Talk failing("x?");
  failing.step();
  failing.give({"no", "no"}, true);
  EXPECT_THAT(text_of(failing.step()), HasSubstr("a lookup failed: no"));
  Talk forbidden("x?");
  forbidden.forbid_tools();
  EXPECT_THAT(text_of(forbidden.step()), HasSubstr("found no passage"));
}

TEST(Answerer, NeverQuotesALineThatWasCut) {
  Talk talk("x?");
  talk.step();
  talk.give({kList, kSearch});
  talk.step();
  talk.give({"     4\tshort\n     5\tlong… (cut; the line has 9999 characters)\n", ""});
  EXPECT_THAT(text_of(talk.step()), HasSubstr("[docs:date.py#L4]\n\n```\nshort\n```\n"));
}

TEST(Answerer, FencesWhatHoldsAFence) {
  Talk talk("x?");
  talk.step();
  talk.give({kList, kSearch});
  talk.step();
  talk.give({"     4\t```sh\n     5\tmake\n     6\t```\n", ""});
  EXPECT_THAT(text_of(talk.step()), HasSubstr("\n````\n```sh\nmake\n```\n````\n"));
}

TEST(Answerer, StartsAfreshForANewQuestion) {
  Talk talk("first?");
  talk.step();
  talk.give({kList, kSearch});
  Json request = {{"messages",
                   {{{"role", "tool"}, {"name", "search"}, {"text", kSearch}},
                    {{"role", "user"}, {"text", "second?"}}}}};
  EXPECT_THAT(next_step(request).calls.back().arguments, HasSubstr("second?"));
}

TEST(Answerer, AcceptsAnyRequest) {
  for (const char* request : {"{}", R"({"messages":[]})", R"({"messages":[{}]})",
                              R"({"messages":[{"role":1}],"toolsAllowed":"x"})"}) {
    EXPECT_NO_THROW(next_step(Json::parse(request))) << request;
  }
}

TEST(Excerpt, ReadsOnlyNumberedLines) {
  const auto lines =
      numbered_lines("head\n    7\ta\tb\n  12 no tab\n\n    8\t\nEnd of the file, line 8.");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].number, 7u);
  EXPECT_EQ(lines[0].text, "a\tb");
  EXPECT_EQ(lines[1].text, "");
}

TEST(Excerpt, KeepsTheWordsThatMatter) {
  EXPECT_THAT(key_words("How does the parse_date parse a Date, and why?"),
              ElementsAre("parse_date", "parse", "date"));
  EXPECT_THAT(key_words("is it?"), IsEmpty());
}

TEST(Excerpt, TakesTheLinesThatSayMost) {
  std::vector<NumberedLine> lines;
  for (std::uint32_t i = 1; i <= 30; ++i)
    lines.push_back({i, i == 20 ? "the date is parsed" : "x"});
  lines[20].text = "";
  const auto excerpt = best_excerpt(lines, {"date", "parsed"}, 4);
  EXPECT_EQ(excerpt.front().number, 17u);
  EXPECT_EQ(excerpt.back().number, 20u);
  EXPECT_THAT(best_excerpt({{1, " "}}, {"x"}, 4), IsEmpty());
  EXPECT_THAT(best_excerpt({}, {"x"}, 4), IsEmpty());
}

}  // namespace
}  // namespace quarry::extractive
