#include "plugins/call_rights.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Permissions fields(std::vector<std::string> hosts, std::vector<std::string> secrets) {
  Permissions permissions;
  permissions.host_fields = std::move(hosts);
  permissions.secret_fields = std::move(secrets);
  return permissions;
}

TEST(CallRights, AreWhatTheFieldsOfThePermissionsName) {
  const Json resource{{"token", "resource.kit.token"},
                      {"other", "resource.other.token"},
                      {"registry", {{"urls", {"https://A.example:8443/x", 7, "b.example"}}}}};
  const auto rights = rights_in(fields({"/registry/urls", "/missing"}, {"/token"}), resource);
  EXPECT_THAT(rights.secrets, ElementsAre("resource.kit.token"));
  EXPECT_THAT(rights.hosts, ElementsAre("a.example", "b.example"));
}

TEST(CallRights, AreThoseOfEveryTextOfAList) {
  const Json resource{{"tokens", {"resource.kit.tokens.0", 7, "resource.kit.tokens.1"}},
                      {"mirrors", {"https://a.example/x", {{"url", "b.example"}}, "C.example", ""}},
                      {"none", Json::array()}};
  const auto rights = rights_in(fields({"/mirrors", "/none"}, {"/tokens"}), resource);
  EXPECT_THAT(rights.secrets, ElementsAre("resource.kit.tokens.0", "resource.kit.tokens.1"));
  EXPECT_THAT(rights.hosts, ElementsAre("a.example", "c.example"));
}

TEST(CallRights, AreNoneForValuesOfOtherTypes) {
  const Json resource{{"token", 7}, {"url", {{"host", "a.example"}}}, {"path", "/srv/a"}};
  const auto rights = rights_in(fields({"/url", "/path"}, {"/token", "/token/x"}), resource);
  EXPECT_THAT(rights.secrets, IsEmpty());
  EXPECT_THAT(rights.hosts, IsEmpty());
  EXPECT_THAT(rights_in(fields({"/url"}, {"/token"}), Json::array()).hosts, IsEmpty());
}

TEST(CallRights, AreNoneForPlacesThatNoListHas) {
  const Json resource{{"mirrors", {"https://a.example/x", "b.example"}}};
  const auto hosts = [&](const char* field) {
    return rights_in(fields({field}, {}), resource).hosts;
  };
  EXPECT_THAT(hosts("/mirrors/1"), ElementsAre("b.example"));
  for (const char* field : {"/mirrors/", "/mirrors/2", "/mirrors/-", "/mirrors/01", "/mirrors/x",
                            "/mirrors/99999999999999999999"}) {
    EXPECT_THAT(hosts(field), IsEmpty()) << field;
  }
}

TEST(CallRights, TakeTheHostOfEveryWayToNameOne) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://Example.org/a/b", "example.org"},
      {"https://user:word@example.org:444/a", "example.org"},
      {"ssh://git@example.org/a", "example.org"},
      {"http://[::1]:80/a", "::1"},
      {"https://example.org?x=https://evil.example", "example.org"},
      {"https://example.org#@evil.example", "example.org"},
      {"git@example.org:o/r.git", "example.org"},
      {"example.org:8080", "example.org"},
      {"example.org", "example.org"},
      {"file:///etc/passwd", ""},
      {"/srv/code", ""},
      {"./code:x", ""},
      {"", ""}};
  for (const auto& [text, host] : cases) EXPECT_EQ(host_in(text), host) << text;
}

TEST(CallRights, OfAnAnswerAreThoseThatThePluginWasGiven) {
  Permissions permissions = fields({"/url"}, {"/token"});
  permissions.hosts = {"*.kit.example"};
  const services::CallRights held{.secrets = {"mine"}, .hosts = {"held.example"}};
  const std::string given =
      R"({"page":"See https://Given.example:80/x, or given.example.org! https://root.example./ "
         "pkg:deb/x?repository_url=https%3A%2F%2Fcoded.example%2Fx"})";
  const auto refused = [&](const Json& answered) {
    const auto named = check_named(permissions, held, given, answered);
    return named ? std::string() : named.error().message;
  };
  for (const char* url :
       {"https://HELD.example/", "https://a.kit.example/", "given.example",
        "https://given.example.org", "root.example", "coded.example", "/no/host", ""}) {
    EXPECT_EQ(refused({{"url", url}}), "") << url;
  }
  for (const char* url : {"https://example.org", "https://iven.example/", "en.example",
                          "https://other.example", "kit.example", "given.exampl"}) {
    EXPECT_THAT(refused({{"url", url}}), HasSubstr("into a resource that does not name it")) << url;
  }
  EXPECT_EQ(refused({{"token", "mine"}}), "");
  EXPECT_EQ(refused({{"token", ""}}), "");
  EXPECT_EQ(refused({{"token", "other"}}),
            "the plugin wrote the name of the secret \"other\" into a resource");
}

}  // namespace
}  // namespace quarry::plugins
