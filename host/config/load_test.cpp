#include "config/config.h"
#include "config/testing/config_fixture.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

using ::testing::HasSubstr;

class Load : public InDirectory {
 protected:
  Sources sources() { return trusting_sources(); }
  /// Error message of loading `text` as the project file; "" if it loads.
  std::string complaint(const std::string& text) {
    write("project/quarry.toml", text);
    const auto config = load(sources());
    return config ? "" : config.error().message;
  }
};

TEST_F(Load, HasDefaultsWithoutAnyFile) {
  const auto config = load(sources());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->model.provider, "auto");
  EXPECT_EQ(config->model.max_steps, 40u);
  EXPECT_EQ(config->writable_file, root_ / "user/quarry.toml");
  EXPECT_TRUE(config->files.empty());
}

TEST_F(Load, LaysProjectOverUserOverSystemAndFlagsOverEnvironment) {
  write("system.toml", "[model]\nprovider = \"s\"\nname = \"s\"\nmax_steps = 1\n");
  write("user/quarry.toml", "[model]\nname = \"u\"\nmax_steps = 2\nmax_tokens = 5\n");
  write("project/quarry.toml", "[model]\nmax_steps = 3\n");
  Sources from = sources();
  from.environment = {{"QUARRY_MODEL_MAX_TOKENS", "6"},
                      {"QUARRY_UNRELATED", "x"},
                      {"QUARRY_CACHE_DIR", "/c"},
                      {"PATH", "/bin"}};
  from.flags = {{"model.max_seconds", "9"}};
  const auto config = load(from);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->model.provider, "s");
  EXPECT_EQ(config->model.name, "u");
  EXPECT_EQ(config->model.max_steps, 3u);
  EXPECT_EQ(config->model.max_tokens, 6u);
  EXPECT_EQ(config->model.max_time.count(), 9);
  EXPECT_EQ(config->files.size(), 3u);
  EXPECT_EQ(config->writable_file, root_ / "project/quarry.toml");
}

TEST_F(Load, LaysTheTablesOfATypeOfResourceOverEachOther) {
  write("user/quarry.toml",
        "[resource_type.git]\nssh = true\n[[resource]]\ntype = \"git\"\nname = \"a\"\n");
  write("project/quarry.toml", "[resource_type.git.permalinks]\n\"git.example\" = \"https://x\"\n");
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  const Table& git = config->resource_types.at("git");
  EXPECT_EQ(*parse_json(git.json),
            *parse_json(R"({"ssh":true,"permalinks":{"git.example":"https://x"}})"));
  EXPECT_EQ(git.places.at("/ssh").text(), (root_ / "user/quarry.toml").string() + ":2:1");
  EXPECT_EQ(git.places.at("/permalinks").line, 1u);
  EXPECT_EQ(config->resources.size(), 1u);
}

TEST_F(Load, TellsAMistakeOfAWholeTableAtItsHeader) {
  write("project/quarry.toml", "[resource_type.gti]\n");
  const auto config = load(sources());
  Error error{Code::kNotFound, ""};
  error.details = {{"", "nobody offers it"}};
  const auto told = at_places(std::move(error), config->resource_types.at("gti"));
  EXPECT_EQ(told.message, (root_ / "project/quarry.toml").string() + ":1:16: nobody offers it");
}

TEST_F(Load, ReadsOneFileAloneWhenItIsNamed) {
  write("project/quarry.toml", "[model]\nname = \"p\"\n");
  Sources from = sources();
  from.file = write("other.toml", "[model]\nname = \"o\"\n");
  EXPECT_EQ(load(from)->model.name, "o");
  EXPECT_EQ(load(from)->writable_file, *from.file);
  from.file = root_ / "none.toml";
  EXPECT_THAT(load(from).error().message, HasSubstr("none.toml: No such file"));
}

TEST_F(Load, ReplacesAResourceOfTheSameNameAndKeepsTheOthers) {
  write(
      "user/quarry.toml",
      "[[resource]]\ntype='local'\nname='Docs'\npath='/a'\n[[resource]]\ntype='local'\nname='x'\n");
  write("project/quarry.toml", "\n[[resource]]\ntype='local'\nname='docs'\npath='/b'\n");
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->resources.size(), 2u);
  EXPECT_THAT(config->resources[0].fields.json, HasSubstr("/b"));
  EXPECT_EQ(config->resources[0].fields.places.at("/path").text(),
            (root_ / "project/quarry.toml").string() + ":5:1");
  EXPECT_EQ(config->resources[1].name, "x");
}

TEST_F(Load, TellsEveryMistakeAtItsPlaceWithTheNearestName) {
  const std::string file = (root_ / "project/quarry.toml").string();
  EXPECT_EQ(complaint("[model]\nprovidr = \"x\"\nmax_steps = 0\n[sever]\nx = 1\n"),
            file + ":3:1: \"model/max_steps\" must be at least 1\n" + file +
                ":4:2: \"sever\" is not known; did you mean \"server\"?");
  EXPECT_THAT(complaint("[cache]\nmax_size = \"ten\"\n"),
              HasSubstr(":2:1: \"cache/max_size\" must be bytes"));
  EXPECT_THAT(complaint("[[resource]]\nname = \"a\"\n"), HasSubstr(":1:"));
  EXPECT_THAT(complaint("[[resource]]\ntype='local'\nname = \"../a\"\n"),
              HasSubstr("must be letters"));
  EXPECT_THAT(complaint("[[resource]]\ntype='local'\nname = \"a..b\"\n"), HasSubstr("not allowed"));
  EXPECT_THAT(complaint("[[resource]]\ntype='l'\nname='a'\n[[resource]]\ntype='l'\nname='A'\n"),
              HasSubstr("is used twice"));
  EXPECT_THAT(complaint("[model]\nmax_cost_usd = \"1e3\"\n"),
              HasSubstr(":2:1: \"1e3\" is not an amount"));
  EXPECT_THAT(complaint("[model]\nmonthly_budget_usd = \"much\"\n"),
              HasSubstr(":2:1: \"much\" is not an amount"));
  EXPECT_THAT(complaint("[log]\nlevel = \"loud\"\n"), HasSubstr("must be one of"));
}

TEST_F(Load, TakesNoVariableForAKeyThatHoldsASecret) {
  write("project/quarry.toml",
        "[store]\nprovider = \"postgresql\"\nurl = { env = \"QUARRY_STORE_URL\" }\n");
  Sources from = sources();
  from.environment = {{"QUARRY_STORE_URL", "postgresql://secret"},
                      {"QUARRY_STORE_CONNECTIONS", "3"}};
  const auto loaded = load(from);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ((*parse_json(loaded->store.options.json))["connections"], 3);
}

TEST_F(Load, TellsMistakesOfEnvironmentAndFlagsByTheirName) {
  Sources from = sources();
  from.environment = {{"QUARRY_MODEL_MAX_STEPS", "many"}};
  EXPECT_THAT(load(from).error().message, HasSubstr("environment QUARRY_MODEL_MAX_STEPS: "));
  from.environment.clear();
  from.flags = {{"server.max_questions", "0"}};
  EXPECT_THAT(load(from).error().message, HasSubstr("flag server.max_questions: "));
}

TEST_F(Load, TakesSecretsOutOfListsAsReferences) {
  write("project/quarry.toml",
        "[[resource]]\ntype='git'\nname='g'\ntokens = [{ env = \"A\" }, { file = \"/b\" }]\n");
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->secrets.at("resource.g.tokens.0").what, std::vector<std::string>{"A"});
  EXPECT_EQ(config->secrets.at("resource.g.tokens.1").from, SecretReference::From::kFile);
}

TEST_F(Load, TakesSecretsOutAsReferences) {
  write("project/quarry.toml",
        "[model]\napi_key = { env = \"KEY\" }\n[transport.rest]\nauth_token = { file = \"/t\" }\n"
        "[[resource]]\ntype='git'\nname='g'\ntoken = { command = [\"pass\", \"git\"] }\n");
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->secrets.at("model.api_key").what, std::vector<std::string>{"KEY"});
  EXPECT_EQ(config->secrets.at("transport.rest.auth_token").from, SecretReference::From::kFile);
  EXPECT_EQ(config->secrets.at("resource.g.token").what.size(), 2u);
  EXPECT_EQ(config->model.options.json, R"({"api_key":"model.api_key"})");
}

TEST_F(Load, TakesTheHeadersOfTracesAsSecrets) {
  write("user/quarry.toml",
        "[traces]\nendpoint = \"http://127.0.0.1:4318\"\nsample_ratio = 0.25\n"
        "headers = { Authorization = { env = \"OTLP\" }, X-Scope = { file = \"/s\" } }\n");
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->traces.endpoint, "http://127.0.0.1:4318");
  EXPECT_EQ(config->traces.sample_ratio, 0.25);
  EXPECT_EQ(config->traces.headers.at("Authorization"), "traces.headers.Authorization");
  EXPECT_EQ(config->secrets.at("traces.headers.Authorization").what,
            std::vector<std::string>{"OTLP"});
  EXPECT_EQ(config->secrets.at("traces.headers.X-Scope").from, SecretReference::From::kFile);
}

TEST_F(Load, TellsMistakesOfTraces) {
  EXPECT_THAT(complaint("[traces]\nendpoint = \"collector:4318\"\n"),
              HasSubstr("must be an http or https URL without user and query"));
  EXPECT_THAT(complaint("[traces]\nendpoint = \"http://user:password@c\"\n"),
              HasSubstr("must be an http or https URL without user and query"));
  EXPECT_THAT(complaint("[traces]\nsample_ratio = 1.5\n"), HasSubstr("quarry.toml:2:"));
  EXPECT_THAT(complaint("[traces]\nheaders = { A = \"plain\" }\n"),
              HasSubstr("headers/A\" must be of type object"));
  EXPECT_THAT(complaint("[traces]\nheaders = { A = { variable = \"X\" } }\n"),
              HasSubstr("must be a reference"));
  EXPECT_THAT(complaint("[traces]\nheaders = { \"A B\" = { env = \"X\" } }\n"),
              HasSubstr("must be the name of a header"));
  EXPECT_NE(complaint("traces = 5\n"), "");
  EXPECT_NE(complaint("[traces]\nheaders = \"x\"\n"), "");
}

TEST_F(Load, LaysManyResourcesOverManyOthersByTheirNames) {
  constexpr std::size_t kMany = 5'000;
  std::string lower;
  std::string upper;
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    lower += "[[resource]]\ntype='l'\nname='r" + number + "'\n";
    upper += "[[resource]]\ntype='u'\nname='R" + std::to_string(2 * i) + "'\n";
  }
  write("user/quarry.toml", lower);
  write("project/quarry.toml", upper);
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->resources.size(), kMany + kMany / 2);
  EXPECT_EQ(config->resources[0].type, "u");
  EXPECT_EQ(config->resources[1].type, "l");
  EXPECT_EQ(config->resources[kMany].name, "R" + std::to_string(kMany));
  EXPECT_THAT(config->resources[2].fields.places.at("/type").text(),
              ::testing::EndsWith("project/quarry.toml:5:1"));
}

TEST_F(Load, RefusesASecretInPlainText) {
  const std::string message = complaint("[model]\napi_key = \"sk-canary\"\n");
  EXPECT_THAT(message, HasSubstr(":2:1: \"api_key\" must be a reference"));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("canary")));
}

TEST_F(Load, ReadsSizesPathsComponentsAndLimits) {
  write(
      "project/quarry.toml",
      "plugin_path = [\"/p\"]\nlocal_roots = [\"~/work\"]\n"
      "[cache]\nmax_size = \"2GiB\"\ndirectory = \"/c\"\n"
      "[server]\nreader_grace_ms = 5\n[transport.rest]\nlisten = \"127.0.0.1:1\"\n"
      "[transport.mcp]\nenabled = false\n[pricing]\norder = [\"b\", \"static\"]\nrefresh = false\n"
      "[pricing.static]\n\"a/b\" = { input = \"1\" }\n[pricing.c]\nenabled = false\n"
      "[model]\nmax_cost_usd = 0.5\nmonthly_budget_usd = \"20\"\n[plugins]\ndisabled = "
      "[\"x.y\"]\n");
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->cache.max_bytes, 2ull << 30);
  EXPECT_EQ(config->plugins.path.front(), "/p");
  EXPECT_EQ(config->local_roots->front().filename(), "work");
  EXPECT_TRUE(config->local_roots->front().is_absolute());
  EXPECT_EQ(config->server.reader_grace.count(), 5);
  EXPECT_EQ(config->transports.at("rest").json, R"({"listen":"127.0.0.1:1"})");
  EXPECT_EQ(config->disabled_transports, std::vector<std::string>{"mcp"});
  EXPECT_EQ(config->model.max_cost->nanos, 500'000'000);
  EXPECT_EQ(config->model.monthly_budget->nanos, 20'000'000'000);
  EXPECT_TRUE(config->pricing.contains("static"));
  EXPECT_FALSE(config->pricing.contains("order"));
  EXPECT_FALSE(config->refresh_prices);
  EXPECT_EQ(config->pricing_order, (std::vector<std::string>{"b", "static"}));
  EXPECT_EQ(config->disabled_pricing, std::vector<std::string>{"c"});
}

TEST_F(Load, RefusesModelsWithoutAPriceUnlessToldOtherwise) {
  write("project/quarry.toml", "");
  EXPECT_FALSE(load(sources())->model.allow_unpriced);
  write("project/quarry.toml", "[model]\nunpriced = \"allow\"\n");
  EXPECT_TRUE(load(sources())->model.allow_unpriced);
  EXPECT_THAT(complaint("[model]\nunpriced = true\n"), HasSubstr(":2:1"));
}

TEST_F(Load, PutsFieldErrorsOfAResourceAtTheirPlaces) {
  write("project/quarry.toml", "[[resource]]\ntype='git'\nname='g'\nbrnach='x'\n");
  const auto config = load(sources());
  Error error{Code::kInvalidArgument, "bad"};
  error.details = {{"/brnach", "is not known"}, {"/url", "is required"}};
  error = at_places(std::move(error), config->resources[0].fields);
  EXPECT_THAT(error.details[0].field, ::testing::EndsWith("quarry.toml:4:1"));
  EXPECT_EQ(error.details[0].message, "\"brnach\" is not known");
  EXPECT_THAT(error.details[1].field, ::testing::EndsWith("quarry.toml:1:1"));
}

TEST_F(Load, PutsAnErrorOfAFieldThatIsNoPointerAtItsTable) {
  write("project/quarry.toml", "[[resource]]\ntype='git'\nname='g'\n");
  const auto config = load(sources());
  Error error{Code::kInvalidArgument, "bad"};
  error.details = {{"branch", "is not known"}};
  error = at_places(std::move(error), config->resources[0].fields);
  EXPECT_THAT(error.details[0].field, ::testing::EndsWith("quarry.toml:1:1"));
  EXPECT_EQ(error.details[0].message, "\"branch\" is not known");
}

}  // namespace
}  // namespace quarry::config
