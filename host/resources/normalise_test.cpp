#include "resources/normalise.h"

#include "resources/testing/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using ::testing::HasSubstr;

constexpr auto kIgnore = Schema::Unknown::kIgnore;

plugins::ResourceTypes types() {
  return {{"fake", std::make_shared<FakeType>()}};
}

void no_problem(std::string_view problem) {
  ADD_FAILURE() << problem;
}

std::string field_of(const Result<Json>& result) {
  if (result || result.error().tag != "ConfigError") return "(none)";
  return result.error().details.at(0).field;
}

bool takes_name(const std::string& name) {
  Json resource = kFake;
  resource["name"] = name;
  return field_of(normalise(types(), resource, kIgnore)) != "/name";
}

TEST(Normalise, TakesNamesAsClientsWriteThem) {
  for (const char* name : {"svelte", "@sveltejs/kit", "a", "v1.2_x-y", "a/b/c"}) {
    EXPECT_TRUE(takes_name(name)) << name;
  }
}

TEST(Normalise, RefusesOtherNames) {
  for (const char* name : {"", "-a", ".a", "a//b", "/a", "a/", "a..b", "a b", "@", "@/a", "ä"}) {
    EXPECT_FALSE(takes_name(name)) << name;
  }
  EXPECT_FALSE(takes_name(std::string(65, 'a')));
  EXPECT_TRUE(takes_name(std::string(64, 'a')));
}

TEST(Normalise, AnswersTheCanonicalResource) {
  EXPECT_EQ(normalise(types(), kFake, kIgnore).value(), kFake);
}

TEST(Normalise, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(field_of(normalise(types(), Json::array(), kIgnore)), "");
  EXPECT_EQ(field_of(normalise(types(), {{"type", "fake"}, {"url", "x"}}, kIgnore)), "/name");
  EXPECT_EQ(field_of(normalise(types(), {{"name", "x"}, {"url", "x"}}, kIgnore)), "/type");
  EXPECT_EQ(field_of(normalise(types(), {{"name", "x"}, {"type", 7}}, kIgnore)), "/type");
  EXPECT_EQ(field_of(normalise(types(), {{"name", "x"}, {"type", "fake"}, {"url", 7}}, kIgnore)),
            "/url");
}

TEST(Normalise, NamesTheNearestType) {
  const auto result = normalise(types(), {{"name", "x"}, {"type", "fakr"}}, kIgnore);
  EXPECT_THAT(result.error().message, HasSubstr("did you mean \"fake\""));
  EXPECT_THAT(result.error().hint, HasSubstr("fake"));
}

TEST(Normalise, PassesOnWhatThePluginSays) {
  Json bad = kFake;
  bad["url"] = "bad";
  const auto result = normalise(types(), bad, kIgnore);
  EXPECT_EQ(field_of(result), "/url");
  EXPECT_THAT(result.error().message, HasSubstr("the address is bad"));
}

TEST(Normalise, TakesANullForMissing) {
  Json resource = kFake;
  resource["specialNotes"] = nullptr;
  EXPECT_EQ(normalise(types(), resource, kIgnore).value(), kFake);
  resource["url"] = nullptr;
  EXPECT_FALSE(normalise(types(), resource, kIgnore));
}

TEST(Normalise, DropsUnknownMembersOfTheWireOnly) {
  Json resource = kFake;
  resource["urrl"] = 1;
  EXPECT_EQ(normalise(types(), resource, kIgnore).value(), kFake);
  EXPECT_EQ(field_of(normalise(types(), resource, Schema::Unknown::kRefuse)), "/urrl");
}

TEST(Normalise, KeepsTheHostsOwnMembersFromThePlugin) {
  Json resource = kFake;
  resource["refresh"] = "1h";
  resource["refreshInBackground"] = true;
  EXPECT_EQ(normalise(types(), resource, Schema::Unknown::kRefuse).value(), resource);
  resource["refreshInBackground"] = nullptr;
  EXPECT_FALSE(normalise(types(), resource, kIgnore)->contains("refreshInBackground"));
  resource["refresh"] = "soon";
  EXPECT_EQ(field_of(normalise(types(), resource, kIgnore)), "/refresh");
}

TEST(Normalise, KeepsTheNotesThatAPluginLeavesOut) {
  const auto fake = std::make_shared<FakeType>();
  fake->canonical = Json{{"url", "https://example.org"}};
  Json resource = kFake;
  resource["specialNotes"] = "look in a";
  const auto value = normalise({{"fake", fake}}, resource, kIgnore);
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ((*value)["specialNotes"], "look in a");
  EXPECT_EQ((*value)["url"], "https://example.org");
  fake->canonical["specialNotes"] = "shorter";
  EXPECT_EQ((*normalise({{"fake", fake}}, resource, kIgnore))["specialNotes"], "shorter");
}

TEST(Normalise, NamesAReferenceAfterItsLastPart) {
  const auto name = [](std::string_view reference) {
    return parse_reference(types(), reference, no_problem)
        .value()
        .value()["name"]
        .get<std::string>();
  };
  EXPECT_EQ(name("fake:somewhere"), "somewhere");
  EXPECT_EQ(name("fake:https://example.org/a/docs.git/"), "docs");
  EXPECT_EQ(name("fake:/home/me/my (old) notes!"), "my-old-notes");
  EXPECT_EQ(name("fake:/a/..b..c"), "b.-c");
  EXPECT_EQ(name("fake:/a/~~"), "resource");
  for (const char* copied : {" fake:/a/b ", "<fake:/a/b>", "`fake:/a/b`", "(fake:/a/b)",
                             "[a](fake:/a/b)", "fake:https://example.org/b."}) {
    EXPECT_EQ(name(copied), "b") << copied;
  }
  EXPECT_TRUE(takes_name(name("fake:/" + std::string(500, 'x'))));
}

TEST(Normalise, NamesAReferenceAsItsPluginWouldLikeTo) {
  const auto fake = std::make_shared<FakeType>();
  const auto name = [&](std::string wanted) {
    fake->wanted_name = std::move(wanted);
    const auto resource = parse_reference({{"fake", fake}}, "fake:the/last-part", no_problem);
    return resource.value().value()["name"].get<std::string>();
  };
  EXPECT_EQ(name("@types/node"), "@types/node");
  EXPECT_EQ(name("react"), "react");
  EXPECT_EQ(name("my repository!"), "my-repository");
  EXPECT_EQ(name("a//../b/"), "a/b");
  EXPECT_EQ(name("@"), "resource");
  EXPECT_TRUE(takes_name(name("@scope/" + std::string(500, 'x'))));
}

TEST(Normalise, LeavesAReferenceThatNoTypeKnows) {
  EXPECT_FALSE(parse_reference(types(), "npm:react", no_problem).value());
}

TEST(Normalise, SaysWhatIsWrongWithAReference) {
  const auto resource = parse_reference(types(), "fake:bad", no_problem);
  ASSERT_FALSE(resource);
  EXPECT_THAT(resource.error().message, HasSubstr("bad"));
}

/// Two types that read references beginning with "x:".
struct TwoReaders {
  std::shared_ptr<FakeType> a = std::make_shared<FakeType>();
  std::shared_ptr<FakeType> b = std::make_shared<FakeType>();
  std::vector<std::string> problems;

  TwoReaders() { a->prefix = b->prefix = "x:"; }
  Result<std::optional<Json>> read(std::string_view reference) {
    return parse_reference({{"a", a}, {"b", b}}, reference,
                           [this](std::string_view problem) { problems.emplace_back(problem); });
  }
  std::string type_of(std::string_view reference) {
    const auto resource = read(reference).value();
    return resource ? resource->at("type").get<std::string>() : "none";
  }
};

TEST(References, GoToTheMostConfidentTypeElseToTheFirstByName) {
  TwoReaders types;
  EXPECT_EQ(types.type_of("x:1"), "a");
  types.b->confidence = 51;
  EXPECT_EQ(types.type_of("x:1"), "b");
  types.a->confidence = 52;
  EXPECT_EQ(types.type_of("x:1"), "a");
}

TEST(References, ThatNameATypeReachThatTypeAlone) {
  TwoReaders types;
  types.a->confidence = 100;
  EXPECT_EQ(types.type_of("b:x:1"), "b");
  EXPECT_EQ(types.read("b:x:1").value()->at("url"), "1");
  EXPECT_EQ(types.type_of("b:y:1"), "none");
  types.b->prefix = "b:";
  EXPECT_EQ(types.read("b:x:1").value()->at("url"), "x:1") << "the whole text first";
  types.b->reference_error = Error{Code::kUnavailable, "no dictionary"};
  const auto failed = types.read("b:x:1");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no dictionary");
}

TEST(References, PassOverATypeThatFails) {
  TwoReaders types;
  types.a->reference_error = Error{Code::kInternal, "broken"};
  EXPECT_EQ(types.type_of("x:1"), "b");
  EXPECT_EQ(types.problems,
            std::vector<std::string>{"the resource type a cannot read a reference: broken"});
  const auto unread = types.read("y:1");
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().message, "broken");
}

}  // namespace
}  // namespace quarry::resources
