#include "cli/chat_commands.h"

#include "cli/line_editor.h"

#include <gmock/gmock.h>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kResources = {"docs", "@scope/kit", "Parser"};

TEST(ChatLine, IsAQuestionUnlessItBeginsWithASlash) {
  const ChatLine question = parse_chat_line("  how are / parsed?  ");
  EXPECT_EQ(question.command, ChatCommand::kQuestion);
  EXPECT_EQ(question.argument, "how are / parsed?");
  EXPECT_EQ(parse_chat_line("").argument, "");
}

TEST(ChatLine, HasACommandAndItsArgument) {
  for (const ChatCommandRow& row : chat_commands()) {
    const ChatLine line = parse_chat_line(std::string(row.name) + "  one two ");
    EXPECT_EQ(line.command, row.command) << row.name;
    EXPECT_EQ(line.argument, "one two");
    EXPECT_EQ(parse_chat_line(row.name).argument, "");
  }
  const ChatLine unknown = parse_chat_line("/nothing at all");
  EXPECT_EQ(unknown.command, ChatCommand::kUnknown);
  EXPECT_EQ(unknown.argument, "/nothing");
  EXPECT_EQ(parse_chat_line("/adder x").command, ChatCommand::kUnknown);
}

TEST(MentionedResources, AreTheKnownNamesAfterAnAt) {
  EXPECT_THAT(mentioned_resources("what of @docs and @PARSER?", kResources),
              ElementsAre("docs", "Parser"));
  EXPECT_THAT(mentioned_resources("@scope/kit, then @docs.", kResources),
              ElementsAre("@scope/kit", "docs"));
  EXPECT_THAT(mentioned_resources("me@docs @other @", kResources), IsEmpty());
  EXPECT_THAT(mentioned_resources("@docs @Docs", kResources), ElementsAre("docs"));
}

TEST(ChatCompletions, AreCommandsAndNames) {
  EXPECT_THAT(chat_completions("/res", "/res", kResources), ElementsAre("/resources"));
  EXPECT_THAT(chat_completions("/", "/", kResources), ::testing::SizeIs(chat_commands().size()));
  EXPECT_THAT(chat_completions("what of @do", "@do", kResources), ElementsAre("@docs"));
  EXPECT_THAT(chat_completions("@PA", "@PA", kResources), ElementsAre("@PArser"));
  EXPECT_THAT(chat_completions("@", "@", kResources),
              ElementsAre("@docs", "@scope/kit", "@Parser"));
  EXPECT_THAT(chat_completions("/use do", "do", kResources), ElementsAre("docs"));
  EXPECT_THAT(chat_completions("plain do", "do", kResources), IsEmpty());
}

TEST(CommonRest, IsWhatAllCandidatesGoOnWith) {
  EXPECT_EQ(common_rest("/c", {"/cost"}), "ost");
  EXPECT_EQ(common_rest("a", {"abc", "abd"}), "b");
  EXPECT_EQ(common_rest("ab", {"abc", "abd"}), "");
  EXPECT_EQ(common_rest("", {}), "");
  EXPECT_EQ(common_rest("abc", {"ab"}), "");
}

}  // namespace
}  // namespace quarry::cli
