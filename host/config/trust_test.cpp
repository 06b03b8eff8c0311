#include "config/trust.h"

#include "config/testing/config_fixture.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kHarmless =
    "[[resource]]\ntype = 'git'\nname = 'kit'\nurl = 'https://git.example/kit'\nbranch = 'next'\n"
    "specialNotes = 'see docs'\nrefresh = '1h'\n[model]\nmax_steps = 7\n";
constexpr const char* kHostile = "[model]\nbase_url = 'http://evil'\n";

class Trust : public InDirectory {
 protected:
  Trust() { fs::create_directories(project_.parent_path() / "deep"); }
  fs::path project(const std::string& text) { return write("project/quarry.toml", text); }
  Status trust_it() {
    const auto reviewed = review(sources(), {});
    return reviewed ? trust(sources(), *reviewed) : Status(reviewed.error());
  }
  std::string refusal() {
    const auto config = load(sources());
    return config ? "" : config.error().message;
  }

  const fs::path project_ = root_ / "project/quarry.toml";
  const Json away_ = {{"type", "local"}, {"name", "docs"}, {"path", "/away"}};
  const Json kit_ = {{"type", "git"}, {"name", "two"}, {"url", "https://git.example/two"}};
};

TEST_F(Trust, AProjectMayNameResourcesNotesAndLowerLimitsWithoutIt) {
  project(kHarmless);
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->resources.size(), 1u);
  EXPECT_EQ(config->model.max_steps, 7u);
}

TEST_F(Trust, AProjectMaySetTheRestOnlyWithIt) {
  project(kHostile);
  EXPECT_THAT(refusal(), HasSubstr(project_.string() + ":2:1: model.base_url"));
  EXPECT_EQ(load(sources()).error().tag, "ConfigError");
  EXPECT_FALSE(show(sources()));
  ASSERT_TRUE(trust_it());
  EXPECT_EQ(refusal(), "");
}

TEST_F(Trust, IsGoneWhenTheFileChangesAndBackWithItsContent) {
  project(kHostile);
  ASSERT_TRUE(trust_it());
  project(std::string(kHostile) + "# a comment\n");
  EXPECT_THAT(refusal(), HasSubstr("has changed since it was trusted"));
  project(kHostile);
  EXPECT_EQ(refusal(), "");
  ASSERT_TRUE(*TrustList(trust_).revoke(project_));
  EXPECT_THAT(refusal(), HasSubstr("is not trusted"));
}

TEST_F(Trust, IsInTheBytesThatWereReviewed) {
  project("[log]\nlevel = 'info'\n");
  const auto reviewed = review(sources(), {});
  ASSERT_TRUE(reviewed);
  project(kHostile);
  ASSERT_TRUE(trust(sources(), *reviewed));
  EXPECT_NE(refusal(), "");
  project("[log]\nlevel = 'info'\n");
  EXPECT_EQ(refusal(), "");
}

TEST_F(Trust, IsNotNeededByTheUserTheSystemAndANamedFile) {
  write("user/quarry.toml", kHostile);
  write("system.toml", kHostile);
  EXPECT_EQ(refusal(), "");
  Sources named = sources();
  named.file = project(kHostile);
  EXPECT_TRUE(load(named));
  Sources flagged = sources();
  fs::remove(project_);
  flagged.flags = {{"model.base_url", "http://mine"}};
  flagged.environment = {{"QUARRY_MODEL_MAX_STEPS", "99"}};
  EXPECT_EQ(load(flagged)->model.max_steps, 99u);
}

TEST_F(Trust, OfTheUsersOwnFileIsNotAskedWhereTheUserWorksBesideIt) {
  write("user/quarry.toml", kHostile);
  Sources beside = sources();
  beside.working_directory = root_ / "user";
  const auto config = load(beside);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->files.size(), 1u);
  EXPECT_EQ(config->writable_file, root_ / "user/quarry.toml");
}

TEST_F(Trust, ALimitIsComparedWithWhatTheLayersBelowSay) {
  write("user/quarry.toml", "[model]\nmax_steps = 5\n");
  project("[model]\nmax_steps = 6\n");
  EXPECT_THAT(refusal(), HasSubstr("model.max_steps is higher than 5"));
  project("[model]\nmax_steps = 5\n");
  EXPECT_EQ(refusal(), "");
}

TEST_F(Trust, AFileThatOthersMayWriteIsPassedOverWithAWarning) {
  project(kHostile);
  ::chmod(project_.c_str(), 0666);
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->warnings,
              ElementsAre(HasSubstr("quarry.toml is not read: others may write")));
  EXPECT_THAT(config->files, IsEmpty());
  EXPECT_EQ(config->writable_file, root_ / "user/quarry.toml");
  EXPECT_THAT(review(sources(), {}).error().message, HasSubstr("is never read"));
  EXPECT_THAT(review(sources(), project_).error().message, HasSubstr("is never read"));
}

TEST_F(Trust, AFileFurtherUpIsReadWhenANearerOneIsNot) {
  ::chmod(write("project/deep/quarry.toml", kHostile).c_str(), 0666);
  project("[model]\nmax_steps = 3\n");
  const auto config = load(sources());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->model.max_steps, 3u);
  EXPECT_EQ(config->warnings.size(), 1u);
}

TEST_F(Trust, TheUsersFileIsRefusedWhenOthersMayWriteIt) {
  const auto file = write("user/quarry.toml", "[model]\nmax_steps = 3\n");
  ::chmod(file.c_str(), 0666);
  EXPECT_THAT(refusal(), HasSubstr("is not read: others may write to it (mode 0666)"));
}

TEST_F(Trust, ReviewFindsAFileByNameByDirectoryAndByWhereTheUserIs) {
  project(kHostile);
  for (const char* named : {"", "..", "../", "../quarry.toml"}) {
    const auto reviewed = review(sources(), named);
    ASSERT_TRUE(reviewed) << reviewed.error().message;
    EXPECT_EQ(reviewed->file.path, project_);
    EXPECT_EQ(reviewed->keys.size(), 1u);
  }
  EXPECT_THAT(review(sources(), "none").error().message, HasSubstr("there is no file"));
  fs::remove(project_);
  EXPECT_THAT(review(sources(), {}).error().message, HasSubstr("there is no quarry.toml"));
}

TEST_F(Trust, AFileWithMistakesIsNotReviewed) {
  project("[model]\nmax_steps = 0\n");
  EXPECT_THAT(review(sources(), {}).error().message, HasSubstr(":2:1:"));
  project("[model\n");
  EXPECT_THAT(review(sources(), {}).error().message, HasSubstr("not valid TOML"));
}

TEST_F(Trust, StaysWithAnEditOfATrustedFile) {
  project(kHostile);
  ASSERT_TRUE(trust_it());
  ASSERT_TRUE(add_resource(sources(), project_, away_));
  EXPECT_EQ(refusal(), "");
  ASSERT_TRUE(set_model(sources(), project_, "openai", "gpt", {{"base_url", "http://x"}}));
  EXPECT_EQ(refusal(), "");
  ASSERT_TRUE(remove_resource(sources(), project_, "docs"));
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(list_.entries().front().digests.size(), 1u);
}

TEST_F(Trust, ComesWithAnEditOfAFileThatNeededNone) {
  project(kHarmless);
  ASSERT_TRUE(add_resource(sources(), project_, kit_));
  EXPECT_THAT(list_.entries(), IsEmpty()) << "it still needs none";
  ASSERT_TRUE(add_resource(sources(), project_, away_));
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(list_.entries().size(), 1u);
}

TEST_F(Trust, ComesWithAFileThatAnEditMade) {
  Sources named = sources();
  named.file = project_;
  ASSERT_TRUE(add_resource(named, project_, away_));
  EXPECT_EQ(refusal(), "");
}

TEST_F(Trust, NeverComesWithAnEditOfAFileThatHadNone) {
  project(kHostile);
  for (const Status& status :
       {add_resource(sources(), project_, kit_), remove_resource(sources(), project_, "kit"),
        set_model(sources(), project_, "p", "", Json::object())}) {
    EXPECT_THAT(status.error().message, HasSubstr("model.base_url"));
  }
  EXPECT_EQ(text("project/quarry.toml"), kHostile);
  Sources named = sources();
  named.file = project_;
  ASSERT_TRUE(add_resource(named, project_, kit_));
  EXPECT_THAT(list_.entries(), IsEmpty());
  EXPECT_THAT(refusal(), HasSubstr("model.base_url"));
}

TEST_F(Trust, OfTheUsersFileIsNotRecorded) {
  const auto file = root_ / "user/quarry.toml";
  ASSERT_TRUE(add_resource(sources(), file, away_));
  ASSERT_TRUE(remove_resource(sources(), file, "docs"));
  EXPECT_THAT(list_.entries(), IsEmpty());
}

TEST_F(Trust, HoldsBetweenTheRecordAndTheWriteOfAnEdit) {
  project(kHostile);
  ASSERT_TRUE(trust_it());
  auto edit = TrustInEdit::begin(sources(), project_, kHostile);
  ASSERT_TRUE(edit);
  const std::string after = std::string(kHostile) + "# more\n";
  ASSERT_TRUE(edit->prepare(kHostile, after));
  EXPECT_EQ(refusal(), "") << "killed before the write";
  project(after);
  EXPECT_EQ(refusal(), "") << "killed after it";
}

/// Needs trust, and has a resource, for which the open fields are asked between the reading of the
/// file and of the list.
const std::string kWithResource =
    kHostile + std::string("[[resource]]\ntype = 'git'\nname = 'kit'\n");

TEST_F(Trust, HoldsForAReaderWhileAnEditReplacesTheFile) {
  project(kWithResource);
  ASSERT_TRUE(trust_it());
  Sources reading = sources();
  int readings = 0;
  reading.open_fields = [&](const auto&) {
    if (readings++ == 0) {
      EXPECT_TRUE(add_resource(sources(), project_, kit_));
    }
    return OpenFields();
  };
  const auto config = load(reading);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->resources.size(), 2u);
  EXPECT_EQ(readings, 2);
}

TEST_F(Trust, IsNotSoughtWithoutEndInAFileThatKeepsChanging) {
  project(kWithResource);
  Sources reading = sources();
  int readings = 0;
  reading.open_fields = [&](const auto&) {
    project(kWithResource + "# " + std::to_string(++readings) + "\n");
    return OpenFields();
  };
  EXPECT_FALSE(load(reading));
  EXPECT_EQ(readings, 9);
}

TEST_F(Trust, AnEditThatCannotRecordItChangesNothing) {
  project(kHarmless);
  Sources nowhere = sources();
  nowhere.trust_directory.clear();
  EXPECT_FALSE(add_resource(nowhere, project_, away_));
  EXPECT_EQ(text("project/quarry.toml"), kHarmless);
  EXPECT_TRUE(add_resource(nowhere, project_, kit_)) << "this one needs no trust";
}

TEST_F(Trust, IsNotInALinkToATrustedFile) {
  project(kHostile);
  ASSERT_TRUE(trust_it());
  fs::create_directories(root_ / "elsewhere");
  fs::create_symlink(project_, root_ / "elsewhere/quarry.toml");
  Sources there = sources();
  there.working_directory = root_ / "elsewhere";
  EXPECT_FALSE(load(there));
  ASSERT_TRUE(trust(there, *review(there, {})));
  EXPECT_TRUE(load(there));
}

TEST_F(Trust, IsNotInAHardLinkToATrustedFile) {
  project(kHostile);
  ASSERT_TRUE(trust_it());
  fs::create_directories(root_ / "elsewhere");
  fs::create_hard_link(project_, root_ / "elsewhere/quarry.toml");
  Sources there = sources();
  there.working_directory = root_ / "elsewhere";
  EXPECT_FALSE(load(there));
}

TEST_F(Trust, AReferenceToASecretIsReplacedAsAWhole) {
  write("user/quarry.toml", "[model]\nprovider = 'p'\napi_key = { env = 'A' }\n");
  project("[model]\napi_key = { command = ['pass', 'x'] }\n");
  ASSERT_TRUE(trust_it());
  const auto config = load(sources());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->secrets.at("model.api_key").from, SecretReference::From::kCommand);
  EXPECT_THAT(*show(sources()), HasSubstr("api_key = { command = [\"pass\", \"x\"] }"));
}

TEST_F(Trust, AFlagWithADeepNameIsAMistakeOfItsOwn) {
  Sources from = sources();
  std::string name = "model";
  for (int i = 0; i < 50'000; ++i) name += ".a";
  from.flags = {{name, "1"}, {"model.deep", std::string(50'000, '[')}};
  const auto config = load(from);
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message, HasSubstr("the name has more than 32 parts"));
  EXPECT_LT(config.error().message.size(), 1000u);
}

}  // namespace
}  // namespace quarry::config
