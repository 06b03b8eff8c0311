#include "config/config.h"
#include "config/document.h"
#include "config/testing/config_fixture.h"

#include <gmock/gmock.h>

namespace quarry::config {
namespace {

using ::testing::HasSubstr;

using Show = InDirectory;

TEST_F(Show, SaysWhereEachValueComesFromAndIsTomlAgain) {
  const auto file =
      write("quarry.toml",
            "plugin_path = [\"/p\"]\n[model]\nname = \"x\"\napi_key = { env = \"K\" }\n"
            "[[resource]]\ntype = \"local\"\nname = \"a\"\n[transport.rest]\nlisten = \"l\"\n");
  Sources sources{root_, {}, {}, file, {{"QUARRY_MODEL_NAME", "y"}}, {}, {}};
  const auto shown = show(sources);
  ASSERT_TRUE(shown) << shown.error().message;
  EXPECT_THAT(*shown, HasSubstr("name = \"y\"  # environment QUARRY_MODEL_NAME\n"));
  EXPECT_THAT(*shown, HasSubstr("[[resource]]\nname = \"a\"  # " + file.string() + ":7:1\n"));
  EXPECT_THAT(*shown, HasSubstr("api_key = { env = \"K\" }"));
  const auto again = parse_document(*shown, "shown");
  ASSERT_TRUE(again) << again.error().message << "\n" << *shown;
  EXPECT_EQ(again->root["transport"]["rest"]["listen"], "l");
  EXPECT_EQ(again->root["plugin_path"][0], "/p");
}

TEST_F(Show, ShowsTheSecretOfAResourceAsTheReferenceItIs) {
  const auto file = write(
      "quarry.toml", "[[resource]]\ntype = \"git\"\nname = \"a\"\ntoken = { env = \"TOKEN\" }\n");
  Sources sources{root_, {}, {}, file, {}, {}, {}};
  EXPECT_THAT(*show(sources), HasSubstr("token = { env = \"TOKEN\" }"));
}

TEST_F(Show, WritesAListThatHasTablesAndOthersAsOneValue) {
  const auto file = write("quarry.toml", "[transport.rest]\nlist = [ { a = 1 }, 2 ]\n");
  Sources sources{root_, {}, {}, file, {}, {}, {}};
  EXPECT_THAT(*show(sources), HasSubstr("list = [{ a = 1 }, 2]  # "));
}

TEST_F(Show, FailsWhereLoadingFails) {
  Sources sources{root_, {}, {}, write("quarry.toml", "[model]\nx = [\n"), {}, {}, {}};
  EXPECT_FALSE(show(sources));
}

}  // namespace
}  // namespace quarry::config
