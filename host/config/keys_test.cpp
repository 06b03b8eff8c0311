#include "config/keys.h"

#include "base/schema.h"
#include "config/inspect.h"
#include "config/member.h"
#include "config/testing/config_fixture.h"

#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

using ::testing::HasSubstr;

const Key& key_named(std::string_view name) {
  return *std::ranges::find(own_keys(), name, &Key::name);
}

/// A value that fits the key's schema and is not its default.
Json other_value(const Key& key) {
  const Schema schema = *Schema::compile(key.schema);
  const std::string digest(64, 'a');
  Json candidates = {70000,
                     7,
                     365,
                     "1GiB",
                     "x",
                     "x/y",
                     true,
                     false,
                     Json::array({"x"}),
                     Json::array({"RW" + std::string(54, 'a')}),
                     0.5,
                     "https://collector.example",
                     Json::object({{"x", digest}}),
                     Json::object({{"x", "none"}}),
                     Json::object({{"x", "https://plugins.example/index.json"}})};
  for (const Json& word : key.schema.value("enum", Json::array())) candidates.push_back(word);
  for (const Json& value : candidates) {
    const bool fits = schema.check(value, Schema::Unknown::kRefuse).empty();
    if (fits && value != key.schema.value("default", Json())) return value;
  }
  ADD_FAILURE() << "no value for " << key.name;
  return nullptr;
}

class Keys : public InDirectory {};

TEST_F(Keys, EveryRowWithAMemberIsReadFromItsPlace) {
  for (const Key& key : own_keys()) {
    if (!key.member) continue;
    const Json value = other_value(key);
    Sources from = sources();
    from.flags = {{key.name, value.is_object() ? "" : to_toml(value)}};
    if (value.is_object()) {
      from.flags.clear();
      write("user/quarry.toml", "[" + key.name + "]\nx = " + to_toml(value["x"]) + "\n");
    }
    auto config = load(from);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(to_json(key.member(*config)), value) << key.name;
    Config unset;
    EXPECT_NE(to_json(key.member(unset)), value) << key.name;
  }
}

TEST_F(Keys, OnlyTheseRowsAreReadWithTheirTables) {
  std::vector<std::string> names;
  for (const Key& key : own_keys()) {
    if (!key.member) names.push_back(key.name);
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                         "model.<name>.provider", "model.<name>.name", "pricing.<name>.enabled",
                         "transport.<name>.enabled", "access.secrets_key", "traces.headers",
                         "embedding.<name>.provider", "rerank.<name>.provider"));
}

TEST_F(Keys, NoTwoRowsShareANameOrAMember) {
  Config config;
  std::set<std::string> names;
  std::set<const void*> members;
  for (const Key& key : own_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    if (!key.member) continue;
    const void* at = std::visit(
        []<class T>(const T& member) -> const void* {
          if constexpr (std::is_same_v<T, ByteSize>) {
            return member.bytes;
          } else if constexpr (std::is_same_v<T, Words>) {
            return member.value;
          } else {
            return member;
          }
        },
        key.member(config));
    EXPECT_TRUE(members.insert(at).second) << key.name;
  }
}

TEST_F(Keys, EveryRowHasASentenceAndASchemaThatItsDefaultFits) {
  for (const Key& key : own_keys()) {
    const auto sentence = key.schema.value("description", "");
    EXPECT_THAT(sentence, ::testing::EndsWith(".")) << key.name;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(sentence.front()))) << key.name;
    const auto schema = Schema::compile(key.schema);
    ASSERT_TRUE(schema) << key.name;
    if (!key.schema.contains("default")) continue;
    EXPECT_TRUE(schema->check(key.schema["default"], Schema::Unknown::kRefuse).empty()) << key.name;
  }
}

TEST_F(Keys, DefaultsAreTheInitialValuesOfTheStruct) {
  EXPECT_EQ(key_named("model.max_steps").schema["default"], 40);
  EXPECT_EQ(key_named("server.reader_grace_ms").schema["default"], 10000);
  EXPECT_EQ(key_named("cache.max_size").schema["default"], "10GiB");
  EXPECT_EQ(key_named("model.unpriced").schema["default"], "refuse");
  EXPECT_EQ(key_named("access.audit_questions").schema["default"], false);
  for (const char* name : {"model.max_tokens", "model.name", "model.max_cost_usd", "local_roots",
                           "access.streams", "plugins.pinned", "cache.directory"}) {
    EXPECT_FALSE(key_named(name).schema.contains("default")) << name;
  }
}

TEST_F(Keys, EveryRowStandsInTheSchemaOfTheFile) {
  for (const Key& key : own_keys()) {
    if (key.name.find('<') != std::string::npos) continue;
    const std::size_t dot = key.name.find('.');
    Json at = whole_schema()["properties"][key.name.substr(0, dot)];
    if (dot != std::string::npos) at = at["properties"][key.name.substr(dot + 1)];
    EXPECT_EQ(at, key.schema) << key.name;
  }
  const Json& transport = whole_schema()["properties"]["transport"]["additionalProperties"];
  EXPECT_EQ(transport["properties"]["enabled"]["type"], "boolean");
}

TEST_F(Keys, TellsATextThatIsNoAmount) {
  Config config;
  const Key& key = key_named("model.max_cost_usd");
  EXPECT_EQ(read_key(key, 0.5, config), std::nullopt);
  EXPECT_EQ(config.model.max_cost->nanos, 500'000'000);
  EXPECT_THAT(read_key(key, "1e3", config).value_or(""), HasSubstr("is not an amount"));
}

TEST_F(Keys, TellsASizeThatIsTooSmallOrCannotBeCounted) {
  Config config;
  const Key& key = key_named("cache.max_size");
  for (const char* size : {"16777216TiB", "18446744073709551616", "99999999999999999999KiB"}) {
    EXPECT_THAT(read_key(key, size, config).value_or(""), HasSubstr("is more than can be counted"));
  }
  EXPECT_EQ(read_key(key, "1KiB", config).value_or(""), "\"1KiB\" is less than 1MiB");
  EXPECT_EQ(config.cache.max_bytes, Config().cache.max_bytes);
  EXPECT_EQ(read_key(key, "16777215 TiB", config), std::nullopt);
  EXPECT_EQ(config.cache.max_bytes, 16777215ull << 40);
}

TEST_F(Keys, WritesSizesInTheLargestUnit) {
  std::uint64_t bytes = 3ull << 40;
  EXPECT_EQ(to_json(ByteSize{&bytes}), "3TiB");
  bytes = (1ull << 20) + 1;
  EXPECT_EQ(to_json(ByteSize{&bytes}), "1048577");
}

}  // namespace
}  // namespace quarry::config
