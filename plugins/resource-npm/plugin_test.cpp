#include <quarry/testing.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::resource_npm {
namespace {

using Json = nlohmann::json;
using NpmType = quarry::testing::Component<quarry_resource_v1>;

TEST(Plugin, SaysWhatItsFieldsAre) {
  const NpmType npm{quarry_plugin_entry_v1, QUARRY_RESOURCE, "npm"};
  quarry::testing::Reply reply;
  npm->describe(npm.instance(), nullptr, reply.get());
  const Json description = Json::parse(reply.value());
  EXPECT_EQ(description["type"], "npm");
  EXPECT_EQ(description["schema"]["properties"]["token"]["writeOnly"], true);
  for (const std::string example : description["examples"]) {
    quarry::testing::Reply parsed;
    npm->parse_reference(npm.instance(), nullptr, as_text(example), parsed.get());
    EXPECT_EQ(Json::parse(parsed.value())["confidence"], 100) << example;
  }
}

TEST(Plugin, NormalisesAndRefuses) {
  const NpmType npm{quarry_plugin_entry_v1, QUARRY_RESOURCE, "npm", R"({"npmrc":false})"};
  const quarry::testing::FakeCall call;
  quarry::testing::Reply good, bad;
  npm->normalise(npm.instance(), call.get(), as_text(R"({"package":"react"})"), good.get());
  EXPECT_EQ(Json::parse(good.value())["version"], "latest");
  npm->normalise(npm.instance(), call.get(), as_text(R"({"package":"Bad Name"})"), bad.get());
  EXPECT_EQ(bad.failure().status, QUARRY_INVALID_ARGUMENT);
}

TEST(Plugin, HasNoNetworkWithoutTheHosts) {
  const NpmType npm{quarry_plugin_entry_v1, QUARRY_RESOURCE, "npm", R"({"npmrc":false})"};
  const quarry::testing::FakeCall call;
  quarry::testing::Reply resolved, fetched;
  const quarry::testing::Tree tree;
  const quarry_text react = as_text(R"({"package":"react","version":"latest"})");
  npm->resolve(npm.instance(), call.get(), react, {}, resolved.get());
  EXPECT_EQ(resolved.failure().status, QUARRY_UNSUPPORTED);
  npm->fetch(npm.instance(), call.get(), react, as_text(R"({"id":"1.0.0"})"), {}, tree.get(),
             fetched.get());
  EXPECT_EQ(fetched.failure().status, QUARRY_UNSUPPORTED);
}

}  // namespace
}  // namespace quarry::resource_npm
