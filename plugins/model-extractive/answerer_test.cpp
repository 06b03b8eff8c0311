#include "model-extractive/answerer.h"

#include "model-extractive/lines.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// Files, which the tools of this test search and read.
using Tree = std::map<std::string, std::string>;

std::string numbered(const std::string& path, const std::string& text) {
  std::string out = path + ":";
  std::uint32_t number = 0;
  for (const std::string_view line : line_views(text)) {
    out += std::to_string(++number) + ": " + std::string(line) + "\n";
  }
  return out;
}

/// What a tool returns: a search finds every file whole, in order of the paths.
std::string output_of(const Tree& tree, const ToolCall& call) {
  const Json arguments = Json::parse(call.arguments);
  const std::string path = arguments.value("path", "");
  if (call.name == "list") return "t/ " + std::to_string(tree.size()) + " files\n";
  if (call.name == "read") return numbered(path, tree.at(path));
  std::string out;
  for (const auto& [name, text] : tree) {
    if (path.empty() || name == path) out += numbered(name, text);
  }
  return out;
}

/// A conversation that grows by the results of each step's calls.
class Talk {
 public:
  explicit Talk(const std::string& question) {
    request_["messages"] = {{{"role", "user"}, {"text", question}}};
  }
  Step step() { return last_ = next_step(request_); }
  void give(const Tree& tree, bool failed = false) {
    Json calls = Json::array();
    Json results = Json::array();
    for (const ToolCall& call : last_.calls) {
      const std::string id = std::to_string(calls.size());
      calls.push_back(
          {{"id", id}, {"name", call.name}, {"arguments", Json::parse(call.arguments)}});
      results.push_back({{"role", "tool"},
                         {"toolCallId", id},
                         {"text", failed ? "no" : output_of(tree, call)},
                         {"failed", failed}});
    }
    request_["messages"].push_back({{"role", "assistant"}, {"toolCalls", calls}});
    for (Json& result : results) request_["messages"].push_back(result);
  }
  void forbid_tools() { request_["toolsAllowed"] = false; }

 private:
  Json request_;
  Step last_;
};

std::string text_in(const Step& step) {
  std::string out;
  for (const std::string& paragraph : step.paragraphs) out += paragraph;
  return out;
}

/// The answer to a question over a tree.
std::string answered(const std::string& question, const Tree& tree) {
  Talk talk(question);
  Step step = talk.step();
  while (!step.calls.empty()) {
    talk.give(tree);
    step = talk.step();
  }
  return text_in(step);
}

TEST(Answerer, SearchesThenSearchesFilesThenReadsThenQuotes) {
  const Tree tree = {{"t/date.md", "# Dates\n\nA date is parsed by its form.\n"}};
  Talk talk("How is a date parsed?");
  const Step first = talk.step();
  EXPECT_EQ(first.calls[0].name, "list");
  EXPECT_EQ(first.calls[1].name, "search");
  EXPECT_THAT(first.calls[1].arguments, HasSubstr("How is a date parsed?"));
  talk.give(tree);
  const Step second = talk.step();
  ASSERT_EQ(second.calls.size(), 1u);
  EXPECT_THAT(second.calls[0].arguments, HasSubstr("t/date.md"));
  talk.give(tree);
  const Step third = talk.step();
  ASSERT_EQ(third.calls.size(), 1u);
  EXPECT_EQ(third.calls[0].name, "read");
  talk.give(tree);
  const Step last = talk.step();
  EXPECT_THAT(last.calls, IsEmpty());
  EXPECT_THAT(text_in(last), StartsWith("No model wrote this"));
  EXPECT_THAT(text_in(last),
              HasSubstr("[t:date.md#L1-L3]\n\n```\n# Dates\n\nA date is parsed by its "
                        "form.\n```\n"));
}

TEST(Answerer, LooksUpTheNamesOfAQuestion) {
  Talk talk("What does parse_date do?");
  const Step step = talk.step();
  EXPECT_EQ(step.calls.back().name, "symbols");
  EXPECT_THAT(step.calls.back().arguments, HasSubstr("parse_date"));
}

TEST(Answerer, QuotesOnePassageAndNamesOthers) {
  const std::string text = answered(
      "How is a date parsed?",
      {{"t/a.md", "# Parse a date\n\nA date is parsed by its form.\n"}, {"t/b.c", "int date;\n"}});
  EXPECT_THAT(text, HasSubstr("[t:a.md#L1-L3]\n\n```"));
  EXPECT_THAT(text, HasSubstr("- [t:b.c#L1]\n"));
  EXPECT_THAT(text, Not(HasSubstr("int date")));
}

TEST(Answerer, PrefersDocumentsForHowAndCodeForWhichFunction) {
  const Tree tree = {{"t/a.md", "The pool of workers is resized.\n"},
                     {"t/b.py", "def resize_pool(workers):\n    pass\n"}};
  const std::string how = answered("How do I resize the pool of workers?", tree);
  EXPECT_LT(how.find("a.md"), how.find("b.py"));
  const std::string which = answered("Which function resizes the pool of workers?", tree);
  EXPECT_LT(which.find("b.py"), which.find("a.md"));
}

TEST(Answerer, QuotesATextOnce) {
  const std::string text = answered("pool of workers", {{"t/a.js", "the pool of workers\n"},
                                                        {"t/b.cjs", "  the pool of workers\n"}});
  EXPECT_EQ(text.find("the pool"), text.rfind("the pool"));
}

TEST(Answerer, SaysThatNothingFits) {
  const std::string text = answered("Which colour has the moon over Venice in winter?",
                                    {{"t/a.py", "def parse(text): return winter\n"}});
  EXPECT_THAT(text, HasSubstr("found no passage"));
  EXPECT_THAT(text, Not(HasSubstr("t:a.py")));
}

TEST(Answerer, QuotesNothingThatLacksANameOfTheQuestion) {
  const std::string question = "How do I parse a date in PHP?";
  EXPECT_THAT(answered(question, {{"t/a.md", "A date is parsed by its form.\n"}}),
              HasSubstr("found no passage"));
  EXPECT_THAT(answered(question, {{"t/a.md", "A date is parsed by its form, as in PHP.\n"}}),
              HasSubstr("t:a.md"));
}

TEST(Answerer, KeepsTheOrderOfTheSearchForADetailedQuestion) {
  const std::string text = answered(
      "Where in the reader of dates is the zone of the time taken into account when a text has no "
      "zone of its own?",
      {{"t/a.py", "def read(zone, reader, text): pass\n"},
       {"t/b.py", "def read(zone, reader, text, time): pass\n"}});
  EXPECT_LT(text.find("a.py"), text.find("b.py"));
}

TEST(Answerer, SaysThatThereIsNoText) {
  EXPECT_THAT(answered("How is a date parsed?", {}), HasSubstr("no files with text"));
}

TEST(Answerer, SaysWhichFilesWereNotSearched) {
  const Json request = {
      {"messages",
       {{{"role", "user"}, {"text", "How is a date parsed?"}},
        {{"role", "tool"},
         {"name", "search"},
         {"text", "(Nothing. Not searched, since it looks binary: t/a.bin.)\n"}}}}};
  EXPECT_THAT(text_in(next_step(request)),
              HasSubstr("configured. Not searched, since it looks binary: t/a.bin.\n"));
}

TEST(Answerer, EndsWhenItsToolsFailOrAreForbidden) {
  Talk failing("date?");
  failing.step();
  failing.give({}, true);
  EXPECT_THAT(text_in(failing.step()), HasSubstr("a lookup failed: no"));
  Talk forbidden("date?");
  forbidden.forbid_tools();
  EXPECT_THAT(text_in(forbidden.step()), HasSubstr("found no passage"));
}

TEST(Answerer, StartsAfreshForANewQuestion) {
  const Json request = {{"messages",
                         {{{"role", "tool"}, {"name", "search"}, {"text", "t/a.md:1-2: x\n"}},
                          {{"role", "user"}, {"text", "second?"}}}}};
  EXPECT_THAT(next_step(request).calls[1].arguments, HasSubstr("second?"));
}

TEST(Answerer, AcceptsAnyRequest) {
  for (const char* request : {"{}", R"({"messages":[]})", R"({"messages":[{}]})",
                              R"({"messages":[{"role":1}],"toolsAllowed":"x"})"}) {
    EXPECT_NO_THROW(next_step(Json::parse(request))) << request;
  }
}

}  // namespace
}  // namespace quarry::extractive
