#include "engine/testing/access_fixture.h"

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// An owner without local_roots, so that projects can read no folder of their own, shares "guide".
struct SharedResources : testing::AccessTest {
  void begin_sharing(const std::string& projects, const std::string& more = {}) {
    std::filesystem::create_directories(root / "owners");
    write("owners/guide.md", "# The guide\n\nThe lexer runs before the parser.\n");
    write("quarry.toml", "[model]\nprovider = \"extractive\"\n[store]\nfile = \"" +
                             (root / "store.db").string() + "\"\n" + guide(projects) + more);
    start_again();
  }
  [[nodiscard]] std::string guide(const std::string& projects) const {
    return "[[resource]]\ntype = \"local\"\nname = \"guide\"\npath = \"" +
           (root / "owners").string() + "\"\nspecialNotes = \"short\"\nprojects = " + projects +
           "\n";
  }
  Json listed(const std::string& token) {
    return call("resources.list", {{"principal", principal(token)}})["resources"];
  }
  Json asked(const std::string& token) {
    return with({{"question", "What runs before the parser?"}}, principal(token));
  }
};

TEST_F(SharedResources, AreListedWithoutTheirSource) {
  begin_sharing("[\"*\"]");
  EXPECT_EQ(
      listed(make_token("docs")),
      Json::array(
          {{{"type", "local"}, {"name", "guide"}, {"specialNotes", "short"}, {"shared", true}}}));
  const Json owners = call("resources.list")["resources"];
  EXPECT_EQ(owners[0]["path"], (root / "owners").string());
  EXPECT_FALSE(owners[0].contains("projects")) << "the wire has no such member";
}

TEST_F(SharedResources, AreReadWithTheOwnersRights) {
  begin_sharing("[\"*\"]");
  const std::string token = make_token("docs");
  const auto events = ask(asked(token));
  EXPECT_THAT(std::string(events.back().json["text"]), HasSubstr("lexer runs before"));
  for (const auto& event : events) {
    EXPECT_THAT(to_text(event.json), Not(HasSubstr(root.string()))) << event.type;
  }
}

TEST_F(SharedResources, AreSeenByTheNamedProjectsAlone) {
  begin_sharing("[\"web\", \"DOCS\"]");
  EXPECT_THAT(listed(make_token("docs")), ::testing::SizeIs(1));
  const std::string other = make_token("other");
  EXPECT_THAT(listed(other), IsEmpty());
  EXPECT_EQ(failure("question.ask", asked(other)).tag, "CollectionError");
  Json named = asked(other);
  named["resources"] = {"guide"};
  EXPECT_THAT(failure("question.ask", named).message, HasSubstr("no resource \"guide\""));
}

TEST_F(SharedResources, NeedNoRightToAdd) {
  begin_sharing("[\"*\"]");
  Json named = asked(make_token("docs", {{"rights", {"ask"}}}));
  named["resources"] = {"Guide"};
  EXPECT_THAT(std::string(ask(named).back().json["text"]), HasSubstr("lexer"));
}

TEST_F(SharedResources, AreHiddenByAnOwnResourceOfTheName) {
  begin_sharing("[\"*\"]");
  const std::string text = *read_file(root / "quarry.toml");
  write("quarry.toml", "local_roots = [\"" + root.string() + "\"]\n" + text);
  start_again();
  write("shared/docs/parser.md", "# Mine\n\nThe macro step runs before the parser.\n");
  const std::string token = make_token("docs");
  add_folder(token, "GUIDE");
  EXPECT_EQ(listed(token).size(), 1);
  EXPECT_EQ(listed(token)[0]["name"], "GUIDE");
  EXPECT_THAT(std::string(ask(asked(token)).back().json["text"]),
              AllOf(HasSubstr("macro step"), Not(HasSubstr("lexer"))));
  EXPECT_THAT(std::string(ask(asked(make_token("web"))).back().json["text"]), HasSubstr("lexer"));
}

TEST_F(SharedResources, ThatFailDoNotTellTheirPath) {
  begin_sharing("[\"*\"]");
  std::filesystem::remove_all(root / "owners");
  const auto events = ask(asked(make_token("docs")));
  EXPECT_EQ(events.back().type, "error");
  EXPECT_THAT(to_text(events.back().json),
              AllOf(HasSubstr("guide"), HasSubstr("unavailable"), Not(HasSubstr(root.string()))));
}

TEST_F(SharedResources, AreSearchedAndSyncedByTools) {
  begin_sharing("[\"*\"]");
  const std::string token = make_token("docs", {{"rights", {"read"}}});
  const Json found = call("tools.grep", with({{"pattern", "lexer"}}, principal(token)));
  EXPECT_EQ(found["hits"][0]["path"], "guide/guide.md");
  const Json synced = call("tools.sync", {{"principal", principal(token)}});
  EXPECT_EQ(synced["resources"][0]["name"], "guide");
  EXPECT_THAT(to_text(synced), Not(HasSubstr(root.string())));
}

TEST_F(SharedResources, ProjectsMustBeNames) {
  begin_sharing("[\"*\"]");
  for (const char* wrong : {"[]", "\"*\"", "[\"a b\"]", "[\"*x\"]", "true"}) {
    write("quarry.toml", guide(wrong));
    const auto reloaded = engine->call_and_wait("config.reload", "{}");
    ASSERT_FALSE(reloaded) << wrong;
    EXPECT_THAT(reloaded.error().message, AllOf(HasSubstr("quarry.toml:6:"), HasSubstr("projects")))
        << wrong;
  }
}

}  // namespace
}  // namespace quarry::engine
