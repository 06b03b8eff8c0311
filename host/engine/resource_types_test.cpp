#include "engine/resource_types.h"

#include "base/file.h"
#include "base/schema.h"
#include "engine/resource_names.h"

#include <quarry/resource.h>

#include <quarry_test.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using ::testing::AllOf;
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

/// A type that only describes itself.
class DescribedType final : public plugins::ResourceType {
 public:
  explicit DescribedType(std::string schema) {
    description_.type = "notes";
    description_.schema = std::move(schema);
  }
  [[nodiscard]] const plugins::ResourceDescription& describe() const override {
    return description_;
  }
  Result<Json> normalise(const services::Call&, const Json&) override { return unexpected(); }
  Result<plugins::ResourceVersion> resolve(const services::Call&, const Json&,
                                           const plugins::LastSnapshot&) override {
    return unexpected();
  }
  Result<plugins::ResourceMetadata> fetch(const services::Call&, const Json&,
                                          const plugins::ResourceVersion&,
                                          const plugins::LastSnapshot&, plugins::Tree&) override {
    return unexpected();
  }
  Result<std::optional<plugins::Recognised>> parse_reference(const services::Call&,
                                                             std::string_view) override {
    return unexpected();
  }

 private:
  static Error unexpected() { return {Code::kInternal, "only its description is needed"}; }
  plugins::ResourceDescription description_;
};

TEST(FileSchema, HasTheMembersOfEveryResourceBesideThoseOfTheType) {
  const Json schema = file_schema(DescribedType(
      R"({"properties": {"notes": {"type": "array"}}, "required": ["notes"],
          "additionalProperties": false})"));
  EXPECT_EQ(schema["type"], "object");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["notes"], Json({{"type", "array"}}));
  EXPECT_EQ(schema["properties"]["type"], Json({{"const", "notes"}}));
  for (const char* field : {"name", "refresh", "refreshInBackground"}) {
    EXPECT_TRUE(schema["properties"].contains(field)) << field;
  }
  EXPECT_EQ(schema["required"], Json({"notes", "type", "name"}));
}

TEST(FileSchema, ChecksAResourceOfTheFile) {
  const Json schema = file_schema(DescribedType(R"({"properties": {"notes": {"type": "array"}}})"));
  const auto fields = [&](const Json& resource) {
    std::string out;
    const auto mistakes = mistakes_by(schema, resource, Schema::Unknown::kRefuse);
    for (const auto& mistake : mistakes.value()) out += mistake.field + " ";
    return out;
  };
  EXPECT_EQ(fields({{"type", "notes"}, {"name", "a"}, {"notes", Json::array()}}), "");
  EXPECT_EQ(fields({{"type", "note"}, {"name", "a"}}), "/type ");
  EXPECT_EQ(fields({{"type", "notes"}, {"name", "-a"}, {"refresh", "often"}}), "/name /refresh ");
  EXPECT_EQ(fields({{"type", "notes"}}), "/name ");
}

TEST(FileSchema, KeepsAFieldOfTheTypeThatEveryResourceGotLater) {
  const Json schema = file_schema(DescribedType(
      R"({"properties": {"refresh": {"type": "integer"}, "type": {"type": "string"}},
          "required": ["name", "type"]})"));
  EXPECT_EQ(schema["properties"]["refresh"], Json({{"type", "integer"}}));
  EXPECT_EQ(schema["properties"]["type"], Json({{"const", "notes"}}));
  EXPECT_EQ(schema["required"], Json({"name", "type"})) << "each once";
}

TEST(FileSchema, OfATypeWithoutASchemaHasTheCommonMembersAlone) {
  for (const char* text : {"", "[]", "no JSON"}) {
    const Json schema = file_schema(DescribedType(text));
    EXPECT_EQ(schema["required"], Json({"type", "name"})) << text;
    EXPECT_TRUE(schema["properties"].contains("name")) << text;
  }
}

class CheckTable : public ::testing::Test {
 protected:
  /// Adds a plugin with a resource type; `schema` is that of its table, null = none.
  void add(const std::string& type, const char* schema) {
    plugins::Manifest manifest;
    manifest.path = directory_ / "plugin.toml";
    manifest.components = {{.kind = QUARRY_RESOURCE, .name = type, .schema_file = ""}};
    if (schema != nullptr) {
      const std::string file = type + ".json";
      ASSERT_TRUE(write_file_atomically(directory_ / file, schema));
      manifest.components[0].configuration_schema_file = file;
    }
    manifests_.push_back(std::move(manifest));
  }
  Status check(const std::string& type, const char* json) {
    config::Table table;
    table.json = json;
    return check_table(manifests_, type, table);
  }

  const std::filesystem::path directory_ = test_directory();
  std::vector<plugins::Manifest> manifests_;
};

TEST_F(CheckTable, NamesEveryMistakeWithItsField) {
  add("other", R"({"properties": {"limit": {"type": "string"}}})");
  add("notes", R"({"properties": {"limit": {"type": "integer"}, "mode": {"enum": ["a"]}}})");
  EXPECT_TRUE(check("notes", R"({"limit": 7})"));
  EXPECT_TRUE(check("notes", "{}"));
  const auto wrong = check("notes", R"({"limit": "7", "mode": "b", "limt": 1})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().tag, "ConfigError");
  EXPECT_EQ(wrong.error().code, Code::kInvalidArgument);
  std::string fields;
  for (const auto& mistake : wrong.error().details) fields += mistake.field + " ";
  EXPECT_EQ(fields, "/limit /limt /mode ");
}

TEST_F(CheckTable, AcceptsAnythingForATypeWithoutASchemaOrThatNobodyOffers) {
  add("notes", nullptr);
  EXPECT_TRUE(check("notes", R"({"anything": 7})"));
  EXPECT_TRUE(check("letters", R"({"anything": 7})"));
}

TEST_F(CheckTable, ReportsASchemaThatCannotBeUsed) {
  add("refs", R"({"$ref": "#/x"})");
  add("roots", R"({"properties": {"local_roots": {}}})");
  add("broken", "{");
  EXPECT_THAT(check("refs", "{}").error().message,
              AllOf(HasSubstr("resource type refs"), HasSubstr("$ref")));
  EXPECT_THAT(check("roots", "{}").error().message,
              AllOf(HasSubstr("resource type roots"), HasSubstr("\"local_roots\"")));
  EXPECT_THAT(check("broken", "{}").error().message,
              AllOf(HasSubstr("resource type broken"), HasSubstr("broken.json")));
  std::filesystem::remove(directory_ / "broken.json");
  EXPECT_THAT(check("broken", "{}").error().message, HasSubstr("resource type broken"));
}

}  // namespace
}  // namespace quarry::engine
