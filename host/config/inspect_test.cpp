#include "config/inspect.h"

#include "config/testing/config_fixture.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Inspect : public InDirectory {
 protected:
  /// Mistakes of `found` as "<line> <key>"; other places by their name.
  static std::vector<std::string> keys(const std::vector<Mistake>& found) {
    std::vector<std::string> out;
    for (const Mistake& mistake : found) {
      out.push_back(
          (mistake.place.line > 0 ? std::to_string(mistake.place.line) : mistake.place.text()) +
          " " + mistake.key);
    }
    return out;
  }
};

TEST_F(Inspect, ReportsEveryKindOfMistakeOfEveryLayer) {
  write("system.toml", "[model]\nmax_steps = 0\n");
  write("user/quarry.toml",
        "[model]\nmax_cost_usd = \"1e3\"\napi_key = \"sk-canary\"\n"
        "[[resource]]\ntype = \"local\"\nname = \"a\"\nrefresh = 1\ntoken = \"canary\"\n");
  write("project/quarry.toml", "[access]\nsecrets_key = {}\n[log]\nlevel = \"loud\"\n");
  Sources from = trusting_sources();
  from.environment = {{"QUARRY_MODEL_MAX_SECONDS", "0"}};
  from.flags = {{"server.max_questions", "0"}};
  const Inspection found = inspect(from);
  EXPECT_THAT(keys(found.mistakes),
              ::testing::UnorderedElementsAre(
                  "2 model.max_steps", "2 model.max_cost_usd", "3 model.api_key",
                  "7 resource.a.refresh", "8 resource.a.token", "2 access.secrets_key",
                  "4 log.level", "environment QUARRY_MODEL_MAX_SECONDS model.max_seconds",
                  "flag server.max_questions server.max_questions"));
  for (const Mistake& mistake : found.mistakes) {
    EXPECT_THAT(mistake.message, ::testing::Not(HasSubstr("canary")));
  }
  EXPECT_THAT(found.unread, IsEmpty());
}

TEST_F(Inspect, ReadsTheOtherFilesWhenOneIsNotToml) {
  write("system.toml", "[model\n");
  write("user/quarry.toml", "[model]\nmax_steps = 0\nname = \"u\"\n");
  const Inspection found = inspect(sources());
  EXPECT_THAT(keys(found.mistakes), ElementsAre("2 model.max_steps"));
  EXPECT_EQ(found.config.model.name, "u");
  ASSERT_EQ(found.unread.size(), 1u);
  EXPECT_THAT(found.unread[0].error.message, HasSubstr("not valid TOML"));
  EXPECT_EQ(found.unread[0].mistakes[0].place.line, 1u);
  EXPECT_EQ(load(sources()).error().message, found.unread[0].error.message);
}

TEST_F(Inspect, UsesNoValueOfAProjectFileWithoutTrust) {
  write("project/quarry.toml", "plugin_path = [\"/evil\"]\n[model]\nmax_steps = 0\n");
  const Inspection found = inspect(sources());
  EXPECT_THAT(found.config.plugins.path, IsEmpty());
  EXPECT_THAT(keys(found.mistakes), ElementsAre("3 model.max_steps"));
  ASSERT_EQ(found.unread.size(), 1u);
  EXPECT_THAT(keys(found.unread[0].mistakes), ElementsAre("1 plugin_path"));
  EXPECT_THAT(found.unread[0].mistakes[0].hint, HasSubstr("quarry trust"));
  EXPECT_THAT(load(sources()).error().message, HasSubstr("max_steps"));
}

}  // namespace
}  // namespace quarry::config
