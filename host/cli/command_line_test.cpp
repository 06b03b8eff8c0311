#include "cli/command_line.h"

#include "base/file.h"

#include <cstdlib>
#include <quarry_places.h>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::variant<Arguments, Usage> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "quarry");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

Arguments accepted(std::vector<const char*> words) {
  auto parsed = parse(std::move(words));
  if (const Usage* usage = std::get_if<Usage>(&parsed)) ADD_FAILURE() << usage->text;
  return std::get<Arguments>(parsed);
}

Usage refused(std::vector<const char*> words) {
  return std::get<Usage>(parse(std::move(words)));
}

TEST(CommandLine, ReadsAQuestionWithItsResources) {
  const Arguments ask = accepted({"ask", "-r", "docs", "--resource", "./src", "how?", "--json"});
  EXPECT_EQ(ask.verb, "ask");
  EXPECT_THAT(ask.resources, ElementsAre("docs", "./src"));
  EXPECT_EQ(ask.question, "how?");
  EXPECT_TRUE(ask.json);
  EXPECT_FALSE(ask.server);
}

TEST(CommandLine, TakesTheQuestionAfterAnyNumberOfResources) {
  EXPECT_EQ(accepted({"ask", "-r", "a", "question"}).question, "question");
}

TEST(CommandLine, ReadsSettingsAndFields) {
  const Arguments add = accepted(
      {"add", "./d", "--set", "model.provider=x=y", "-f", "branch=main", "-f", "searchPath=docs"});
  EXPECT_THAT(add.settings, ElementsAre(Pair("model.provider", "x=y")));
  EXPECT_THAT(add.fields, ElementsAre(Pair("branch", "main"), Pair("searchPath", "docs")));
}

TEST(CommandLine, ReadsHowFreshAnAnswerIsToBe) {
  EXPECT_FALSE(accepted({"ask", "q"}).sync);
  EXPECT_EQ(accepted({"ask", "--sync", "q"}).sync, true);
  EXPECT_EQ(accepted({"ask", "--no-sync", "q"}).sync, false);
  EXPECT_TRUE(accepted({"ask", "--locked", "q"}).locked);
  EXPECT_TRUE(accepted({"serve", "--locked"}).locked);
  EXPECT_EQ(refused({"ask", "--locked", "--sync", "q"}).exit_code, 2);
  EXPECT_EQ(refused({"ask", "--locked", "-s", "http://x", "q"}).exit_code, 2);
  EXPECT_EQ(accepted({"add", "./d", "--refresh", "1h"}).refresh, "1h");
}

TEST(CommandLine, SyncAndClearTakeOneNameOrNone) {
  EXPECT_EQ(accepted({"sync"}).name, "");
  EXPECT_EQ(accepted({"sync", "docs"}).name, "docs");
  EXPECT_EQ(accepted({"clear", "docs"}).name, "docs");
  EXPECT_EQ(refused({"sync", "a", "b"}).exit_code, 2);
  EXPECT_EQ(accepted({"lock", "--json"}).verb, "lock");
}

TEST(CommandLine, ReadsWhichConversationAQuestionBelongsTo) {
  EXPECT_EQ(accepted({"ask", "--thread", "t-1", "q"}).thread, "t-1");
  EXPECT_TRUE(accepted({"ask", "--continue", "q"}).continue_last);
  EXPECT_EQ(refused({"ask", "--continue", "--thread", "t", "q"}).exit_code, 2);
}

TEST(CommandLine, ReadsVerbsOfTheHistory) {
  const Arguments usage = accepted({"usage", "--since", "7d", "--by", "day", "--json"});
  EXPECT_EQ(usage.since, "7d");
  EXPECT_EQ(usage.by, "day");
  EXPECT_EQ(refused({"usage", "--by", "hour"}).exit_code, 2);
  EXPECT_EQ(accepted({"threads"}).verb, "threads");
  EXPECT_TRUE(accepted({"threads", "--json"}).json);
  const Arguments show = accepted({"threads", "show", "t", "--server", "http://h"});
  EXPECT_EQ(show.verb, "threads show");
  EXPECT_EQ(show.thread, "t");
  EXPECT_EQ(refused({"threads", "remove"}).exit_code, 2);
}

TEST(CommandLine, NamesNestedVerbsByBothWords) {
  EXPECT_EQ(accepted({"plugins", "list"}).verb, "plugins list");
  EXPECT_EQ(accepted({"config", "check"}).verb, "config check");
}

TEST(CommandLine, ModelsIsAVerbWithAndWithoutAnother) {
  EXPECT_EQ(accepted({"models"}).verb, "models");
  EXPECT_TRUE(accepted({"models", "--json"}).json);
  const Arguments use = accepted({"models", "use", "openai/org/m", "--option",
                                  "base_url=http://x?a=b", "--server", "http://s"});
  EXPECT_EQ(use.verb, "models use");
  EXPECT_EQ(use.model, "openai/org/m");
  EXPECT_EQ(use.server, "http://s");
  EXPECT_THAT(use.fields, ElementsAre(Pair("base_url", "http://x?a=b")));
  EXPECT_EQ(refused({"models", "use"}).exit_code, 2);
}

TEST(CommandLine, TrustIsGivenListedOrRevoked) {
  const Arguments given = accepted({"trust", "--yes", "a.toml", "--json"});
  EXPECT_EQ(given.verb, "trust");
  EXPECT_EQ(given.file, "a.toml");
  EXPECT_TRUE(given.trust.yes && given.json);
  EXPECT_TRUE(accepted({"trust", "--list"}).trust.list);
  EXPECT_TRUE(accepted({"trust", "--revoke"}).trust.revoke);
  EXPECT_EQ(refused({"trust", "--revoke", "--yes"}).exit_code, 2);
  EXPECT_EQ(refused({"trust", "--revoke", "--list"}).exit_code, 2);
  EXPECT_EQ(refused({"trust", "--list", "--yes"}).exit_code, 2);
}

TEST(CommandLine, TurnsListenIntoASetting) {
  EXPECT_THAT(accepted({"serve", "--listen", "127.0.0.1:9"}).settings,
              ElementsAre(Pair("transport.rest.listen", "\"127.0.0.1:9\"")));
}

TEST(CommandLine, ArgumentsForgeNoLineOfAComplaint) {
  const char* const odd = "x\x1b[31m\u202e\nhint: forged";
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{odd}, {"completion", odd}, {"resources", odd}}) {
    const Usage usage = refused(words);
    EXPECT_EQ(usage.text.find('\x1b'), std::string::npos) << usage.text;
    EXPECT_EQ(usage.text.find("\u202e"), std::string::npos) << usage.text;
    EXPECT_EQ(usage.text.find("\nhint:"), std::string::npos) << usage.text;
  }
}

TEST(CommandLine, RefusesWhatItDoesNotKnowAsUsage) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{},
                                             {"fly"},
                                             {"ask"},
                                             {"ask", "--no-such", "q"},
                                             {"plugins"},
                                             {"completion", "tcsh"},
                                             {"remove"},
                                             {"serve", "--set", "novalue"},
                                             {"ask", "a", "b"}}) {
    const Usage usage = refused(words);
    EXPECT_EQ(usage.exit_code, 2);
    EXPECT_THAT(usage.text, testing::StartsWith("error: "));
  }
}

TEST(CommandLine, PrintsHelpAndVersionAsSuccess) {
  EXPECT_EQ(refused({"--version"}).text, "quarry " QUARRY_VERSION "\n");
  EXPECT_THAT(refused({"ask", "--help"}).text, HasSubstr("--resource"));
  EXPECT_EQ(refused({"--help"}).exit_code, 0);
}

/// Completions of bash for the word at `index`.
std::string completions(const std::string& words, int index) {
  const auto script = test_directory() / "completion";
  EXPECT_TRUE(write_file_atomically(script, completion_script("bash")));
  const std::string command = "bash -c 'source " + script.string() + "; COMP_WORDS=(" + words +
                              "); COMP_CWORD=" + std::to_string(index) +
                              "; _quarry; echo \"${COMPREPLY[@]}\"'";
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  ::pclose(pipe);
  return out;
}

TEST(Completion, OffersVerbsSubverbsAndOptionsInBash) {
  EXPECT_EQ(completions("quarry re", 1), "remove resources\n");
  EXPECT_EQ(completions("quarry plugins li", 2), "list\n");
  EXPECT_EQ(completions("quarry threads sh", 2), "show\n");
  EXPECT_EQ(completions("quarry ask --res", 2), "--resource\n");
  EXPECT_EQ(completions("quarry models u", 2), "use\n");
  EXPECT_EQ(completions("quarry models use --op", 3), "--option\n");
  EXPECT_EQ(completions("quarry projects secret re", 3), "remove\n");
  EXPECT_EQ(completions("quarry projects secret set --e", 4), "--env\n");
  EXPECT_EQ(completions("quarry models --json --ser", 3), "--server\n");
}

TEST(Completion, NamesEveryVerbForEveryShell) {
  for (const VerbOptions& verb : all_verbs()) {
    const std::string last = verb.verb.substr(verb.verb.rfind(' ') + 1);
    for (const char* shell : {"bash", "zsh", "fish"}) {
      EXPECT_THAT(completion_script(shell), HasSubstr(last)) << shell;
    }
  }
}

TEST(ManPage, NamesEveryVerbAndOption) {
  const std::string page = *read_file(QUARRY_SOURCE_DIR "/host/cli/quarry.1");
  for (const VerbOptions& verb : all_verbs()) {
    EXPECT_THAT(page, HasSubstr(verb.verb));
    for (const std::string& option : verb.options) {
      std::string escaped;
      for (const char c : option) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_THAT(page, HasSubstr(escaped)) << verb.verb;
    }
  }
}

}  // namespace
}  // namespace quarry::cli
