#include "engine/resource_types.h"

#include "engine/resource_names.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using ::testing::HasSubstr;

const Json kGitSchema = *parse_json(R"({
  "properties": {
    "type": {"const": "git"}, "name": {"type": "string"}, "url": {"type": "string"},
    "branch": {"type": ["string", "null"], "default": "main"},
    "password": {"type": "string", "writeOnly": true}},
  "required": ["type", "name", "url", "password"]})");

TEST(ResourceTypes, TheWireHasNoSecrets) {
  const Json wire = wire_schema(kGitSchema);
  EXPECT_FALSE(wire["properties"].contains("password"));
  EXPECT_EQ(wire["required"], Json({"type", "name", "url"}));
  const Json resource = {
      {"type", "git"}, {"name", "a"}, {"url", "u"}, {"password", "resource.a.x"}};
  EXPECT_EQ(wire_form(resource, kGitSchema),
            R"({"type":"git","name":"a","branch":"main","url":"u"})");
}

TEST(ResourceTypes, ASecretFromTheWireIsAMistakeUnlessItIsNull) {
  EXPECT_EQ(secrets_on_the_wire({{"password", "x"}}, kGitSchema).at(0).field, "/password");
  EXPECT_EQ(secrets_on_the_wire({{"password", Json::array()}}, kGitSchema).size(), 1u);
  EXPECT_TRUE(secrets_on_the_wire({{"password", nullptr}, {"url", "x"}}, kGitSchema).empty());
}

TEST(ResourceTypes, ASecretInTheFileMustBeTheResourcesOwn) {
  config::Config config;
  config.secrets["resource.a.password"] = {config::SecretReference::From::kEnvironment, {"P"}};
  config.secrets["resource.b.password"] = {config::SecretReference::From::kEnvironment, {"Q"}};
  const config::Resource a{"a", "git", {}};
  const auto mistakes = [&](const char* text) {
    return plain_secrets(config, a, {{"password", text}}, kGitSchema);
  };
  EXPECT_TRUE(mistakes("resource.a.password").empty());
  EXPECT_EQ(mistakes("resource.b.password").at(0).field, "/password");
  EXPECT_THAT(mistakes("sesame").at(0).message, HasSubstr("password = { env = \"NAME\" }"));
  EXPECT_TRUE(plain_secrets(config, a, Json::object(), kGitSchema).empty());
  config.secrets.clear();
  EXPECT_EQ(mistakes("resource.a.password").size(), 1u);
}

TEST(ResourceTypes, EverySecretOfAListInTheFileMustBeTheResourcesOwn) {
  config::Config config;
  for (const char* name :
       {"resource.a.password.0", "resource.a.password.1", "resource.b.password.1"}) {
    config.secrets[name] = {config::SecretReference::From::kEnvironment, {"P"}};
  }
  const config::Resource a{"a", "git", {}};
  const auto mistakes = [&](const Json& list) {
    return plain_secrets(config, a, {{"password", list}}, kGitSchema).size();
  };
  EXPECT_EQ(mistakes({"resource.a.password.0", "resource.a.password.1"}), 0u);
  EXPECT_EQ(mistakes({"resource.a.password.0", "resource.b.password.1"}), 1u);
  EXPECT_EQ(mistakes({"resource.a.password.0", "sesame"}), 1u);
  EXPECT_EQ(mistakes({"resource.a.password.0", Json::array()}), 1u);
}

}  // namespace
}  // namespace quarry::engine
