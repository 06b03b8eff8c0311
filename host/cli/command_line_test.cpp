#include "cli/command_line.h"

#include <algorithm>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::variant<Command, Usage> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "quarry");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

Command accepted(std::vector<const char*> words) {
  auto parsed = parse(std::move(words));
  if (const Usage* usage = std::get_if<Usage>(&parsed)) ADD_FAILURE() << usage->text;
  return std::get<Command>(std::move(parsed));
}

Usage refused(std::vector<const char*> words) {
  return std::get<Usage>(parse(std::move(words)));
}

bool is_called(const Option& option, const std::string& name) {
  return option.names == name || std::ranges::count(long_names(option), name) > 0;
}

/// Value stored for an option of the verb, by its long name, or for a positional argument.
template <class Value>
Value value(const Command& command, const std::string& name) {
  for (const Option& option : command.verb.options) {
    if (is_called(option, name)) return *std::get<Value*>(option.target);
  }
  throw std::out_of_range(name);
}

std::string text(const Command& command, const std::string& name) {
  return value<std::string>(command, name);
}

bool flag(const Command& command, const std::string& name) {
  return value<bool>(command, name);
}

TEST(CommandLine, ReadsAQuestionWithItsResources) {
  const Command ask = accepted({"ask", "-r", "docs", "--resource", "./src", "how?", "--json"});
  EXPECT_EQ(ask.verb.name, "ask");
  EXPECT_THAT(value<std::vector<std::string>>(ask, "--resource"), ElementsAre("docs", "./src"));
  EXPECT_THAT(value<std::vector<std::string>>(ask, "question"), ElementsAre("how?"));
  EXPECT_TRUE(ask.common->json);
  EXPECT_FALSE(ask.common->server);
}

TEST(CommandLine, TakesTheWordsOfAQuestionBetweenItsOptions) {
  const Command ask = accepted({"ask", "why", "-r", "a", "does", "it", "fail?", "-"});
  EXPECT_THAT(value<std::vector<std::string>>(ask, "question"),
              ElementsAre("why", "does", "it", "fail?", "-"));
  EXPECT_THAT(value<std::vector<std::string>>(ask, "--resource"), ElementsAre("a"));
}

TEST(CommandLine, ReadsSettingsAndFields) {
  const Command add = accepted(
      {"add", "./d", "--set", "model.provider=x=y", "-f", "branch=main", "-f", "searchPath=docs"});
  EXPECT_THAT(add.common->settings, ElementsAre(Pair("model.provider", "x=y")));
  EXPECT_THAT(value<NamedValues>(add, "--field"),
              ElementsAre(Pair("branch", "main"), Pair("searchPath", "docs")));
}

std::variant<Command, Usage> parse_with_walk(std::vector<const char*> words) {
  words.insert(words.begin(), "quarry");
  const Json schema = *parse_json(R"({"type": "object", "required": ["place"], "properties": {
    "place": {"type": "string"}, "loops": {"type": "boolean"}, "key": {"writeOnly": true}}})");
  return parse_command_line(static_cast<int>(words.size()), words.data(),
                            {{"walk", "Walks", schema}, {"bare", "Bare"}});
}

TEST(CommandLine, ATypeOfResourceIsAVerbBelowAdd) {
  const Command add = std::get<Command>(parse_with_walk(
      {"add", "-n", "woods", "walk", "walk:forest", "--place", "x", "--no-loops", "-f", "a=b"}));
  EXPECT_EQ(add.verb.name, "add walk");
  EXPECT_EQ(text(add, "reference"), "walk:forest");
  EXPECT_EQ(text(add, "--name"), "woods");
  EXPECT_EQ(value<std::optional<std::string>>(add, "--place"), "x");
  EXPECT_EQ(value<std::optional<bool>>(add, "--loops"), false);
  EXPECT_THAT(value<NamedValues>(add, "--field"), ElementsAre(Pair("a", "b")));
  EXPECT_EQ(std::get<Command>(parse_with_walk({"add", "bare"})).verb.name, "add bare");
}

TEST(CommandLine, AddTakesItsSourceAsWithoutTypes) {
  const Command add =
      std::get<Command>(parse_with_walk({"add", "./walk", "-t", "walk", "-f", "a=walk"}));
  EXPECT_EQ(add.verb.name, "add");
  EXPECT_EQ(text(add, "source"), "./walk");
  EXPECT_EQ(std::get<Usage>(parse_with_walk({"add"})).text, refused({"add"}).text);
  EXPECT_THAT(std::get<Usage>(parse_with_walk({"add", "./d", "walk"})).text,
              HasSubstr("walk excludes source"));
  EXPECT_EQ(text(std::get<Command>(parse_with_walk({"add", "walk", "-t", "git"})), "--type"),
            "git");
}

TEST(CommandLine, TheHelpOfATypeHasItsFields) {
  const std::string help = std::get<Usage>(parse_with_walk({"add", "walk", "--help"})).text;
  EXPECT_THAT(help, HasSubstr("Walks\nUsage: quarry add walk [OPTIONS] [reference]"));
  EXPECT_THAT(help, HasSubstr("Set in the configuration file only: key"));
  EXPECT_THAT(help, ::testing::Not(HasSubstr("--type")));
  EXPECT_THAT(std::get<Usage>(parse_with_walk({"add", "--help"})).text,
              HasSubstr("Verbs:\n  walk                        Walks\n"));
}

TEST(CommandLine, TheConfigurationIsKnownBeforeTheVerbIs) {
  const auto common = [](std::vector<const char*> words) {
    words.insert(words.begin(), "quarry");
    return common_options_in(static_cast<int>(words.size()), words.data());
  };
  const CommonOptions found = common({"add", "walk", "--place", "x", "--set", "a=b", "-n", "y",
                                      "--help", "-f", "c=d", "-c", "f.toml", "z"});
  EXPECT_EQ(found.config_file, "f.toml");
  EXPECT_THAT(found.settings, ElementsAre(Pair("a", "b")));
  EXPECT_FALSE(common({"add", "./d", "-c"}).config_file);
  EXPECT_TRUE(common({"add", "-c", "f", "--set", "x"}).settings.empty());
  EXPECT_TRUE(common({}).settings.empty());
}

TEST(CommandLine, ReadsHowFreshAnAnswerIsToBe) {
  const auto sync = [](std::vector<const char*> words) {
    return value<std::optional<bool>>(accepted(std::move(words)), "--sync");
  };
  EXPECT_FALSE(sync({"ask", "q"}));
  EXPECT_EQ(sync({"ask", "--sync", "q"}), true);
  EXPECT_EQ(sync({"ask", "--no-sync", "q"}), false);
  EXPECT_EQ(sync({"ask", "--sync=off", "q"}), false);
  EXPECT_EQ(sync({"ask", "--sync=true", "q"}), true);
  EXPECT_TRUE(flag(accepted({"ask", "--locked", "q"}), "--locked"));
  EXPECT_TRUE(flag(accepted({"serve", "--locked"}), "--locked"));
  EXPECT_EQ(refused({"ask", "--locked", "--sync", "q"}).exit_code, 2);
  EXPECT_EQ(refused({"ask", "--locked", "-s", "http://x", "q"}).exit_code, 2);
  EXPECT_EQ(text(accepted({"add", "./d", "--refresh", "1h"}), "--refresh"), "1h");
}

TEST(CommandLine, SyncAndClearTakeOneNameOrNone) {
  EXPECT_EQ(text(accepted({"sync"}), "name"), "");
  EXPECT_EQ(text(accepted({"sync", "docs"}), "name"), "docs");
  EXPECT_EQ(text(accepted({"clear", "docs"}), "name"), "docs");
  EXPECT_EQ(refused({"sync", "a", "b"}).exit_code, 2);
  EXPECT_EQ(accepted({"lock", "--json"}).verb.name, "lock");
}

TEST(CommandLine, ReadsWhichConversationAQuestionBelongsTo) {
  EXPECT_EQ(text(accepted({"ask", "--thread", "t-1", "q"}), "--thread"), "t-1");
  EXPECT_TRUE(flag(accepted({"ask", "--continue", "q"}), "--continue"));
  EXPECT_EQ(refused({"ask", "--continue", "--thread", "t", "q"}).exit_code, 2);
}

TEST(CommandLine, ReadsVerbsOfTheHistory) {
  const Command usage = accepted({"usage", "--since", "7d", "--by", "day", "--json"});
  EXPECT_EQ(text(usage, "--since"), "7d");
  EXPECT_EQ(text(usage, "--by"), "day");
  EXPECT_EQ(refused({"usage", "--by", "hour"}).exit_code, 2);
  EXPECT_EQ(accepted({"threads"}).verb.name, "threads");
  EXPECT_TRUE(accepted({"threads", "--json"}).common->json);
  const Command show = accepted({"threads", "show", "t", "--server", "http://h"});
  EXPECT_EQ(show.verb.name, "threads show");
  EXPECT_EQ(text(show, "id"), "t");
  EXPECT_EQ(refused({"threads", "remove"}).exit_code, 2);
}

TEST(CommandLine, NamesNestedVerbsByEveryWord) {
  EXPECT_EQ(accepted({"plugins", "list"}).verb.name, "plugins list");
  EXPECT_EQ(accepted({"config", "check"}).verb.name, "config check");
  EXPECT_EQ(accepted({"projects", "secret", "list", "p"}).verb.name, "projects secret list");
}

TEST(CommandLine, CommonOptionsBeforeANestedVerbHoldForIt) {
  const Command show = accepted(
      {"threads", "--json", "-s", "http://h", "--set", "a=1", "show", "t", "--set", "b=2"});
  EXPECT_EQ(show.verb.name, "threads show");
  EXPECT_TRUE(show.common->json);
  EXPECT_EQ(show.common->server, "http://h");
  EXPECT_THAT(show.common->settings, ElementsAre(Pair("a", "1"), Pair("b", "2")));
  EXPECT_EQ(accepted({"plugins", "-c", "f.toml", "list"}).common->config_file, "f.toml");
  EXPECT_EQ(accepted({"mcp", "-s", "http://a", "setup", "zed", "-s", "http://b"}).common->server,
            "http://b");
}

TEST(CommandLine, ModelsIsAVerbWithAndWithoutAnother) {
  EXPECT_EQ(accepted({"models"}).verb.name, "models");
  EXPECT_TRUE(accepted({"models", "--json"}).common->json);
  const Command use = accepted({"models", "use", "openai/org/m", "--option",
                                "base_url=http://x?a=b", "--server", "http://s"});
  EXPECT_EQ(use.verb.name, "models use");
  EXPECT_EQ(text(use, "model"), "openai/org/m");
  EXPECT_EQ(use.common->server, "http://s");
  EXPECT_THAT(value<NamedValues>(use, "--option"), ElementsAre(Pair("base_url", "http://x?a=b")));
  EXPECT_EQ(refused({"models", "use"}).exit_code, 2);
}

TEST(CommandLine, TrustIsGivenListedOrRevoked) {
  const Command given = accepted({"trust", "--yes", "a.toml", "--json"});
  EXPECT_EQ(given.verb.name, "trust");
  EXPECT_EQ(text(given, "file"), "a.toml");
  EXPECT_TRUE(flag(given, "--yes") && given.common->json);
  EXPECT_TRUE(flag(accepted({"trust", "--list"}), "--list"));
  EXPECT_TRUE(flag(accepted({"trust", "--revoke"}), "--revoke"));
  EXPECT_EQ(refused({"trust", "--revoke", "--yes"}).exit_code, 2);
  EXPECT_EQ(refused({"trust", "--revoke", "--list"}).exit_code, 2);
  EXPECT_EQ(refused({"trust", "--list", "--yes"}).exit_code, 2);
}

TEST(CommandLine, TurnsListenIntoASetting) {
  EXPECT_THAT(accepted({"serve", "--listen", "127.0.0.1:9"}).common->settings,
              ElementsAre(Pair("transport.rest.listen", "\"127.0.0.1:9\"")));
}

TEST(CommandLine, ReadsNumbersAndListsOfAToken) {
  const Command create =
      accepted({"tokens", "create", "-p", "a", "-p", "b", "--requests-per-minute", "9"});
  EXPECT_THAT(value<std::vector<std::string>>(create, "--project"), ElementsAre("a", "b"));
  EXPECT_THAT(value<std::vector<std::string>>(create, "--rights"), ElementsAre("ask", "list"));
  EXPECT_EQ(value<std::optional<std::uint32_t>>(create, "--requests-per-minute"), 9u);
  EXPECT_EQ(value<std::optional<std::uint32_t>>(create, "--streams"), std::nullopt);
  const Command one = accepted({"tokens", "create", "-p", "a", "--rights", "add"});
  EXPECT_THAT(value<std::vector<std::string>>(one, "--rights"), ElementsAre("add"));
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
       std::vector<std::vector<const char*>>{{"fly"},
                                             {"ask"},
                                             {"ask", "--no-such", "q"},
                                             {"plugins"},
                                             {"completion", "tcsh"},
                                             {"remove"},
                                             {"serve", "--set", "novalue"}}) {
    const Usage usage = refused(words);
    EXPECT_EQ(usage.exit_code, 2);
    EXPECT_THAT(usage.text, ::testing::StartsWith("error: "));
  }
}

TEST(CommandLine, TakesTheOptionsOfEveryVerbBeforeTheVerbToo) {
  const std::vector<const char*> given{"quarry", "-c", "a.toml", "--set=x=1", "serve", "--locked"};
  const auto words = with_verb_first(static_cast<int>(given.size()), given.data());
  EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()),
            (std::vector<std::string>{"quarry", "serve", "--locked", "-c", "a.toml", "--set=x=1"}));
  const std::vector<const char*> server{"quarry",  "--json", "-s", "localhost:1",
                                        "plugins", "reload", "--", "--odd"};
  const auto moved = with_verb_first(static_cast<int>(server.size()), server.data());
  EXPECT_EQ(std::vector<std::string>(moved.begin(), moved.end()),
            (std::vector<std::string>{"quarry", "plugins", "reload", "--json", "-s", "localhost:1",
                                      "--", "--odd"}));
  const std::vector<const char*> without{"quarry", "-c"};
  EXPECT_EQ(with_verb_first(2, without.data()), without);
  EXPECT_THAT(refused({"config"}).text, HasSubstr("needs a verb; there are: check, show"));
}

TEST(CommandLine, NamesTheOptionThatIsNearlyGiven) {
  EXPECT_THAT(refused({"ask", "q", "--resources=docs"}).text,
              HasSubstr("not expected: --resources=docs; did you mean \"--resource\"?\n"));
  EXPECT_THAT(refused({"ask", "q", "--temperature"}).text,
              HasSubstr("not expected: --temperature\n"));
  EXPECT_THAT(refused({"plugins", "reload"}).text, HasSubstr("--server is required\n"));
}

TEST(CommandLine, PrintsHelpAndVersionAsSuccess) {
  EXPECT_EQ(refused({"--version"}).text, "quarry " QUARRY_VERSION "\n");
  EXPECT_THAT(refused({"ask", "--help"}).text, HasSubstr("--resource"));
  EXPECT_EQ(refused({"--help"}).exit_code, 0);
  EXPECT_EQ(refused({}).exit_code, 0);
  EXPECT_EQ(refused({}).text, refused({"--help"}).text);
}

}  // namespace
}  // namespace quarry::cli
