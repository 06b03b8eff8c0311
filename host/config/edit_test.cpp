#include "config/config.h"
#include "config/testing/config_fixture.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

using ::testing::HasSubstr;

class Edit : public InDirectory {
 protected:
  /// Sources with a file given with --config.
  const Sources sources_ = {root_, {}, {}, root_ / "quarry.toml", {}, {}, trust_};
  const Json resource_ = {
      {"type", "local"}, {"name", "docs"}, {"path", "/d"}, {"specialNotes", nullptr}};
};

TEST_F(Edit, AppendsAResourceAndTouchesNothingElse) {
  const std::string before = "# mine\n[model] # keep\nname  =  'x'   # odd  spacing\n";
  const auto file = write("quarry.toml", before);
  ASSERT_TRUE(add_resource(sources_, file, resource_));
  EXPECT_EQ(text("quarry.toml"),
            before + "\n[[resource]]\ntype = \"local\"\nname = \"docs\"\npath = \"/d\"\n");
}

TEST_F(Edit, MakesTheFileAndItsDirectory) {
  ASSERT_TRUE(add_resource(sources_, root_ / "new/dir/quarry.toml", resource_));
  EXPECT_THAT(text("new/dir/quarry.toml"), ::testing::StartsWith("[[resource]]\n"));
}

TEST_F(Edit, TellsThatItCannotMakeTheDirectory) {
  const auto file = write("taken", "");
  const auto status = add_resource(sources_, file / "dir/quarry.toml", resource_);
  EXPECT_THAT(status.error().message, HasSubstr("cannot create the directory " + file.string()));
}

TEST_F(Edit, CompletesALastLineWithoutNewline) {
  const auto file = write("quarry.toml", "[log]\nlevel = \"info\"");
  ASSERT_TRUE(add_resource(sources_, file, resource_));
  EXPECT_THAT(text("quarry.toml"), HasSubstr("level = \"info\"\n\n[[resource]]"));
}

TEST_F(Edit, RefusesANameThatStandsThereInAnyCase) {
  const std::string before = "[[resource]]\ntype='local'\nname='DOCS'\n";
  const auto file = write("quarry.toml", before);
  const auto status = add_resource(sources_, file, resource_);
  EXPECT_THAT(status.error().message, HasSubstr("\"docs\" exists in"));
  EXPECT_EQ(status.error().tag, "ConfigError");
  EXPECT_EQ(text("quarry.toml"), before);
}

TEST_F(Edit, RefusesAFileThatIsNotValidAndKeepsIt) {
  const auto file = write("quarry.toml", "[model\n");
  EXPECT_THAT(add_resource(sources_, file, resource_).error().message, HasSubstr("quarry.toml:1:"));
  EXPECT_EQ(text("quarry.toml"), "[model\n");
}

TEST_F(Edit, RefusesWhatItCannotEditSafely) {
  const std::string before = "resource = [ { type = 'local', name = 'a' } ]\n";
  const auto file = write("quarry.toml", before);
  EXPECT_FALSE(add_resource(sources_, file, resource_));
  EXPECT_THAT(remove_resource(sources_, file, "a").error().message,
              HasSubstr("cannot be edited safely"));
  EXPECT_EQ(text("quarry.toml"), before);
}

TEST_F(Edit, RemovesAResourceWithTheCommentsAboveItOnly) {
  const auto file =
      write("quarry.toml",
            "# head\n\n# about a\n[[resource]]\ntype='t'\nname='a' # inner\n"
            "[resource.extra]\nk = [\n1]\n\n# about b\n[[resource]]\ntype='t'\nname='b'\n"
            "# tail\n");
  ASSERT_TRUE(remove_resource(sources_, file, "A"));
  EXPECT_EQ(text("quarry.toml"), "# head\n\n# about b\n[[resource]]\ntype='t'\nname='b'\n# tail\n");
  ASSERT_TRUE(remove_resource(sources_, file, "b"));
  EXPECT_EQ(text("quarry.toml"), "# head\n\n");
}

TEST_F(Edit, RemovesNoCommentThatStandsApartFromTheResource) {
  const auto file = write("quarry.toml",
                          "[[resource]]\ntype='t'\nname='a'\n\n# inside\nn = 1\n# of a\n\n\n"
                          "# [transport.rest]\n# listen = 'l'\n\n[log]\nlevel='info'\n\n"
                          "[[resource]]\ntype='t'\nname='b'\n\n# the end");
  ASSERT_TRUE(remove_resource(sources_, file, "a"));
  ASSERT_TRUE(remove_resource(sources_, file, "b"));
  EXPECT_EQ(text("quarry.toml"),
            "# [transport.rest]\n# listen = 'l'\n\n[log]\nlevel='info'\n\n# the end");
}

TEST_F(Edit, IsNotFooledByBracketsInsideStrings) {
  const auto file = write("quarry.toml",
                          "[[resource]]\ntype='t'\nname='a'\nnotes='''\n[[resource]]\n# x\n'''\n"
                          "[log]\nlevel='info'\n");
  ASSERT_TRUE(remove_resource(sources_, file, "a"));
  EXPECT_EQ(text("quarry.toml"), "[log]\nlevel='info'\n");
}

TEST_F(Edit, SaysWhichNameIsUnknown) {
  const auto status = remove_resource(sources_, write("quarry.toml", ""), "none");
  EXPECT_EQ(status.error().code, Code::kNotFound);
  EXPECT_THAT(status.error().message, HasSubstr("no resource named \"none\""));
}

TEST_F(Edit, SetsTheModelWhereItStands) {
  const auto file = write(
      "quarry.toml", "[model]  # m\nprovider = 'auto' # gr\u00fc\u00df\nmax_steps = 3\n[log]\n");
  ASSERT_TRUE(set_model(sources_, file, "openai", "gpt", {{"base_url", "http://x"}}));
  EXPECT_EQ(text("quarry.toml"),
            "[model]  # m\nname = \"gpt\"\nbase_url = \"http://x\"\n"
            "provider = \"openai\" # gr\u00fc\u00df\nmax_steps = 3\n[log]\n");
}

TEST_F(Edit, AddsAModelTableWhenThereIsNone) {
  const auto file = write("quarry.toml", "# only this\n");
  ASSERT_TRUE(set_model(sources_, file, "p", "m", Json::object()));
  EXPECT_EQ(text("quarry.toml"), "# only this\n\n[model]\nprovider = \"p\"\nname = \"m\"\n");
}

TEST_F(Edit, AnotherProviderLeavesNothingOfTheOneBeforeButComments) {
  const auto file = write("quarry.toml",
                          "[model]\nprovider = 'openai'\nname = 'gpt'\n# where\n"
                          "base_url = 'http://x' # mine\napi_key = { env = 'K' }\n"
                          "extra = [\n  1,\n]\nmax_steps = 3\nfallback = ['extractive']\n"
                          "[model.headers] # sent along\na = '1'\n"
                          "[model.work] # kept\nprovider = 'openai'\n[log]\n");
  ASSERT_TRUE(set_model(sources_, file, "gemini", "", {{"temperature", 0}}));
  EXPECT_EQ(text("quarry.toml"),
            "[model]\ntemperature = 0\nprovider = \"gemini\"\n# where\n# mine\n"
            "max_steps = 3\nfallback = ['extractive']\n# sent along\n"
            "[model.work] # kept\nprovider = 'openai'\n[log]\n");
}

TEST_F(Edit, TheSameProviderKeepsItsOptionsButThoseThatAreNull) {
  const auto file =
      write("quarry.toml", "[model]\nprovider = 'p'\nname = 'a'\nbase_url = 'http://x'\nn = 1\n");
  ASSERT_TRUE(set_model(sources_, file, "p", "b", {{"n", nullptr}, {"m", nullptr}}));
  EXPECT_EQ(text("quarry.toml"),
            "[model]\nprovider = \"p\"\nname = \"b\"\nbase_url = 'http://x'\n");
}

TEST_F(Edit, OptionsWrittenWithDotsGoToo) {
  const auto file = write("quarry.toml", "model.provider = 'a'\nmodel.headers.x = '1' # x\n");
  ASSERT_TRUE(set_model(sources_, file, "b", "", Json::object()));
  EXPECT_EQ(text("quarry.toml"), "model.provider = \"b\"\n# x\n");
}

TEST_F(Edit, AModelTableComesBesideAnInstanceThatStandsAlone) {
  const auto file = write("quarry.toml", "[model.work]\nprovider = 'openai'\n");
  ASSERT_TRUE(set_model(sources_, file, "work", "m", Json::object()));
  EXPECT_EQ(text("quarry.toml"),
            "[model.work]\nprovider = 'openai'\n\n[model]\nprovider = \"work\"\nname = \"m\"\n");
}

TEST_F(Edit, AModelOnOneLineIsRefusedAndKept) {
  const std::string before = "model = { provider = 'a', base_url = 'http://x', max_steps = 3 }\n";
  const auto file = write("quarry.toml", before);
  EXPECT_THAT(set_model(sources_, file, "b", "", Json::object()).error().message,
              HasSubstr("cannot be edited safely"));
  EXPECT_EQ(text("quarry.toml"), before);
}

TEST_F(Edit, KeepsALinkALink) {
  const auto real = write("dotfiles/quarry.toml", "");
  std::filesystem::create_symlink(real, root_ / "quarry.toml");
  ASSERT_TRUE(add_resource(sources_, root_ / "quarry.toml", resource_));
  EXPECT_TRUE(std::filesystem::is_symlink(root_ / "quarry.toml"));
  EXPECT_THAT(text("dotfiles/quarry.toml"), HasSubstr("docs"));
}

TEST_F(Edit, SweepsWhatAKilledEditLeft) {
  const auto file = write("quarry.toml", "");
  write(".quarry.toml.a1B2c3", "half");
  write(".quarry.toml.bak", "the user's");
  ASSERT_TRUE(add_resource(sources_, file, resource_));
  EXPECT_FALSE(std::filesystem::exists(root_ / ".quarry.toml.a1B2c3"));
  EXPECT_TRUE(std::filesystem::exists(root_ / ".quarry.toml.bak"));
}

TEST_F(Edit, LeavesNothingBesideTheFile) {
  const auto file = write("quarry.toml", "");
  ASSERT_TRUE(add_resource(sources_, file, resource_));
  ASSERT_TRUE(remove_resource(sources_, file, "docs"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root_), {}), 1);
}

TEST_F(Edit, SetsAValueInItsTableAndTouchesNothingElse) {
  const auto file = write(
      "quarry.toml", "# mine\n[log] # keep\nlevel = 'info' # odd\n[transport.rest]\nthreads = 1\n");
  ASSERT_TRUE(set_value(sources_, file, "log.level", "debug"));
  ASSERT_TRUE(set_value(sources_, file, "transport.rest.listen", "localhost:1"));
  ASSERT_TRUE(set_value(sources_, file, "cache.max_size", "1GB"));
  ASSERT_TRUE(set_value(sources_, file, "local_roots", Json::array({"/a"})));
  EXPECT_EQ(text("quarry.toml"),
            "local_roots = [\"/a\"]\n# mine\n[log] # keep\nlevel = \"debug\" # odd\n"
            "[transport.rest]\nlisten = \"localhost:1\"\nthreads = 1\n"
            "\n[cache]\nmax_size = \"1GB\"\n");
}

TEST_F(Edit, SetsNoValueBeneathOneThatIsNoTable) {
  const std::string before = "[model]\ntemperature = 1\n[search]\nlist = [1]\n";
  const auto file = write("quarry.toml", before);
  for (const char* key : {"model.temperature.low", "search.list.first"}) {
    EXPECT_EQ(set_value(sources_, file, key, 2).error().code, Code::kUnsupported) << key;
  }
  EXPECT_EQ(text("quarry.toml"), before);
}

}  // namespace
}  // namespace quarry::config
