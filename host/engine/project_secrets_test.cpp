#include "engine/project_secrets.h"

#include "engine/testing/access_fixture.h"

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct ProjectSecretsTest : testing::AccessTest {
  void lay(const std::string& more = {}) {
    write("quarry.toml", more);
    auto loaded = config::load(options().config);
    ASSERT_TRUE(loaded) << loaded.error().message;
    config = std::move(*loaded);
    host_services = *HostServices::create(config, options());
    secrets.emplace(config, *host_services);
  }
  plugins::SecretRecord sealed(const Json& what, const Json& resource) {
    plugins::SecretRecord secret{
        "id1", "docs", resource["name"], "token", ProjectSecrets::source_of(resource), {}, {}};
    EXPECT_TRUE(secrets->seal(secret, what));
    return secret;
  }
  /// Inserts `secret` into `resource`; returns the inserted name, or message and hint of the error.
  std::string given(const plugins::SecretRecord& secret, Json resource) {
    const Status done = secrets->insert_names({secret}, resource);
    if (done) return resource.value("token", "nothing");
    return done.error().message + " | " + done.error().hint;
  }

  config::Config config;
  HostServicesPointer host_services;
  std::optional<ProjectSecrets> secrets;
  const Json kit{{"type", "git"}, {"name", "kit"}, {"url", "https://git.example/o/kit"}};
};

TEST_F(ProjectSecretsTest, AreGivenByNameAndReadByIt) {
  lay();
  const auto secret = sealed({{"value", test_key()}}, kit);
  EXPECT_THAT(secret.sealed, Not(HasSubstr(test_key())));
  EXPECT_EQ(given(secret, kit), "project.id1");
  EXPECT_EQ(host_services->secrets.get("project.id1", {}).value(), test_key());
  EXPECT_THAT(host_services->redactor.redact("key " + test_key()), Not(HasSubstr(test_key())));
}

TEST_F(ProjectSecretsTest, AreForTheSourceThatTheyWereSetFor) {
  lay();
  const auto secret = sealed({{"value", test_key()}}, kit);
  Json moved = kit;
  moved["url"] = "https://evil.example/o/kit";
  EXPECT_THAT(given(secret, moved), AllOf(HasSubstr("another source"),
                                          HasSubstr("quarry projects secret set docs kit.token")));
  Json noted = kit;
  noted["specialNotes"] = "Read this first.";
  noted["name"] = "KIT";
  EXPECT_EQ(given(secret, noted), "project.id1");
  Json other = kit;
  other["name"] = "kit2";
  EXPECT_EQ(given(secret, other), "nothing");
}

TEST_F(ProjectSecretsTest, CannotBeMovedToAnotherPlaceWithinTheStore) {
  lay();
  auto stolen = sealed({{"value", test_key()}}, kit);
  stolen.project = "web";
  EXPECT_THAT(given(stolen, kit), HasSubstr("is unavailable"));
  auto aimed = sealed({{"value", test_key()}}, kit);
  Json evil = kit;
  evil["url"] = "https://evil.example/o/kit";
  aimed.source = ProjectSecrets::source_of(evil);
  EXPECT_THAT(given(aimed, evil), HasSubstr("is unavailable"));
}

TEST_F(ProjectSecretsTest, OfAStoreThatAnotherWroteRunNothing) {
  lay();
  const fs::path made = root / "made";
  auto forged = sealed({{"value", "x"}}, kit);
  forged.sealed = to_text({{"command", {"touch", made.string()}}});
  EXPECT_THAT(given(forged, kit), HasSubstr("is unavailable"));
  EXPECT_FALSE(fs::exists(made));
}

TEST_F(ProjectSecretsTest, ThatAreNotThereAreNotDescribedToCallers) {
  lay();
  for (const Json& what : {Json{{"env", "NO_SUCH_VARIABLE"}}, Json{{"file", "/no/such/file"}},
                           Json{{"command", {"/no/such/program"}}}}) {
    EXPECT_THAT(
        given(sealed(what, kit), kit),
        AllOf(HasSubstr("is unavailable"), Not(HasSubstr("NO_SUCH")), Not(HasSubstr("/no/such"))));
  }
}

TEST_F(ProjectSecretsTest, HaveAKeyOfTheirOwnerAlone) {
  lay();
  sealed({{"value", "x"}}, kit);
  const auto mode = fs::status(root / "state/secrets.key").permissions();
  EXPECT_EQ(mode & fs::perms::mask, fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ProjectSecretsTest, MayHaveAKeyFileThatAShellWrote) {
  lay();
  fs::create_directories(root / "state");
  std::ofstream(root / "state/secrets.key") << std::string(64, 'a') << "\n";
  const auto secret = sealed({{"value", "x"}}, kit);
  EXPECT_EQ(given(secret, kit), "project.id1");
}

TEST_F(ProjectSecretsTest, AreNotReadWithAKeyThatOthersMayWrite) {
  lay();
  const auto secret = sealed({{"value", "x"}}, kit);
  EXPECT_EQ(given(secret, kit), "project.id1");
  fs::permissions(root / "state/secrets.key", fs::perms(0666));
  EXPECT_THAT(given(secret, kit), HasSubstr("is unavailable"));
}

TEST_F(ProjectSecretsTest, MayHaveAKeyThatHostsShare) {
  write("key", std::string(64, 'a') + "\n");
  const std::string configured =
      "[access]\nsecrets_key = { file = \"" + (root / "key").string() + "\" }\n";
  lay(configured);
  const auto secret = sealed({{"value", test_key()}}, kit);
  EXPECT_FALSE(fs::exists(root / "state/secrets.key"));
  lay(configured);
  EXPECT_EQ(given(secret, kit), "project.id1");
  write("key", std::string(64, 'b') + "\n");
  lay(configured);
  EXPECT_THAT(given(secret, kit), HasSubstr("is unavailable"));
}

using SecretMethods = testing::AccessTest;

Json git(const std::string& url) {
  return {{"type", "git"}, {"name", "kit"}, {"url", url}};
}

TEST_F(SecretMethods, SetListAndRemoveWithoutEverTellingAValue) {
  begin_with();
  const std::string token = make_token("docs");
  call("resources.add", with(git("https://git.example/o/kit"), principal(token)));
  const Json place{{"project", "docs"}, {"resource", "kit"}, {"member", "token"}};
  Json set = place;
  set["value"] = test_key();
  const Json done = call("projects.secrets.set", set);
  EXPECT_EQ(done["resource"]["url"], "https://git.example/o/kit");
  EXPECT_EQ(done["from"], "kept encrypted");
  const Json listed = call("projects.secrets.list", {{"project", "docs"}});
  EXPECT_EQ(listed["secrets"][0]["inUse"], true);
  EXPECT_THAT(to_text(done) + to_text(listed), Not(HasSubstr(test_key())));
  EXPECT_THAT(to_text(call("resources.list", {{"principal", principal(token)}})),
              AllOf(Not(HasSubstr("token")), Not(HasSubstr("project."))));
  EXPECT_THAT(read_file(root / "store.db").value(), Not(HasSubstr(test_key())));
  call("projects.secrets.remove", place);
  EXPECT_THAT(call("projects.secrets.list", {{"project", "docs"}})["secrets"], IsEmpty());
  EXPECT_EQ(failure("projects.secrets.remove", place).tag, "NotFound");
}

TEST_F(SecretMethods, NameWhatIsWrong) {
  begin_with();
  const std::string token = make_token("docs");
  call("resources.add", with(git("https://git.example/o/kit"), principal(token)));
  const auto set = [&](const char* project, const char* resource, const char* member, Json what) {
    what.update({{"project", project}, {"resource", resource}, {"member", member}});
    return failure("projects.secrets.set", what);
  };
  const Json value{{"value", "x"}};
  EXPECT_EQ(set("none", "kit", "token", value).tag, "ProjectError");
  EXPECT_THAT(set("docs", "kitt", "token", value).hint, HasSubstr("\"kit\""));
  EXPECT_THAT(set("docs", "kit", "url", value).details.at(0).message,
              HasSubstr("secrets are: token"));
  EXPECT_EQ(set("docs", "kit", "token", Json::object()).tag, "RequestError");
  EXPECT_EQ(set("docs", "kit", "token", {{"value", "x"}, {"env", "X"}}).tag, "RequestError");
  EXPECT_EQ(set("docs", "kit", "token", {{"file", "relative"}}).details.at(0).field, "/file");
}

TEST_F(SecretMethods, AProjectThatIsMadeAnewHasNone) {
  begin_with();
  std::string token = make_token("docs");
  call("resources.add", with(git("https://git.example/o/kit"), principal(token)));
  const Json set{
      {"project", "docs"}, {"resource", "kit"}, {"member", "token"}, {"value", test_key()}};
  call("projects.secrets.set", set);
  call("projects.remove", {{"name", "docs"}});
  token = make_token("docs");
  call("resources.add", with(git("https://git.example/o/kit"), principal(token)));
  EXPECT_THAT(call("projects.secrets.list", {{"project", "docs"}})["secrets"], IsEmpty());
}

TEST_F(SecretMethods, CallersWithTokensCannotNameASecret) {
  begin_with();
  const std::string token = make_token("docs");
  Json resource = git("https://git.example/o/kit");
  resource["token"] = "project.00";
  const Error refused = failure("resources.add", with(resource, principal(token)));
  EXPECT_EQ(refused.details.at(0).field, "/token");
}

/// A caller with a token must not be able to find out which files exist on the machine.
using FoldersForTokens = testing::AccessTest;

TEST_F(FoldersForTokens, HaveOneAnswerWhateverLiesThere) {
  begin_with();
  const std::string token = make_token("docs");
  fs::create_directories(root / "private/inner");
  write("private/file", "x");
  fs::create_directory_symlink(root / "private", root / "shared/out");
  const auto answers = [&](const fs::path& path) {
    Json resource = folder("new");
    resource["path"] = path.string();
    const Error added = failure("resources.add", with(resource, principal(token)));
    const Error asked =
        failure("question.ask",
                with({{"question", "q"}, {"resources", {path.string()}}}, principal(token)));
    std::string words = added.tag + added.message + added.hint + asked.tag;
    for (const auto& detail : added.details) words += detail.field + detail.message;
    EXPECT_THAT(words, Not(HasSubstr("private")));
    std::string without_path = asked.message + asked.hint;
    for (auto at = without_path.find(path.string()); at != without_path.npos;
         at = without_path.find(path.string())) {
      without_path.erase(at, path.string().size());
    }
    return words + without_path;
  };
  const std::string one = answers("/nowhere/at/all");
  EXPECT_THAT(one, HasSubstr("with a token"));
  for (const fs::path& path :
       {fs::path("/etc"), fs::path("/etc/passwd"), root / "private", root / "private/file",
        root / "private/none", root / "shared/out", root / "shared/out/inner", root / "shared/none",
        root / "shared/docs/parser.md"}) {
    EXPECT_EQ(answers(path), one) << path;
  }
}

TEST_F(FoldersForTokens, BeneathTheRootsAreRead) {
  begin_with();
  const std::string token = make_token("docs");
  add_folder(token, "docs");
  const auto events = ask(with({{"question", "What reads tokens?"}}, principal(token)));
  EXPECT_THAT(to_text(events.back().json), HasSubstr("reads tokens"));
}

}  // namespace
}  // namespace quarry::engine
