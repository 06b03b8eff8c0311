#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/limits.h>
#include <quarry/resource.h>

#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

using ::testing::HasSubstr;
using Answer = std::function<void(const quarry_reply*)>;

struct Script {
  Answer describe = [](auto* reply) { say(reply, R"({"title":"Scripted","schema":{}})"); };
  std::function<void(const quarry_call*, quarry_text, const quarry_reply*)> asked;
  std::function<void(const quarry_tree*, const quarry_reply*)> fetch;
  std::string version;  ///< the version to fetch
  std::string last;     ///< of the last resolve or fetch
};

Script& of(void* self) {
  return *static_cast<Script*>(self);
}

constexpr quarry_resource_v1 kTable{
    .struct_size = sizeof(quarry_resource_v1),
    .describe = [](void* self, const quarry_call*,
                   const quarry_reply* reply) { of(self).describe(reply); },
    .normalise = [](void* self, const quarry_call* call, quarry_text resource,
                    const quarry_reply* reply) { of(self).asked(call, resource, reply); },
    .resolve =
        [](void* self, const quarry_call* call, quarry_text resource, quarry_text last,
           const quarry_reply* reply) {
          of(self).last = as_view(last);
          of(self).asked(call, resource, reply);
        },
    .fetch =
        [](void* self, const quarry_call*, quarry_text, quarry_text version, quarry_text last,
           const quarry_tree* tree, const quarry_reply* reply) {
          of(self).version = as_view(version);
          of(self).last = as_view(last);
          of(self).fetch(tree, reply);
        },
    .parse_reference = [](void* self, const quarry_call* call, quarry_text reference,
                          const quarry_reply* reply) { of(self).asked(call, reference, reply); }};

/// Accepts files up to a limit.
class Files final : public Tree {
 public:
  Status add_file(std::string_view path, std::string_view) override {
    if (added.size() == limit) return Error(Code::kResourceExhausted, "the snapshot is full");
    if (path.starts_with("..")) return Error(Code::kInvalidArgument, "the path leaves the tree");
    added.emplace_back(path);
    return {};
  }
  Status add_described(std::string_view path, std::string_view bytes, FileFacts given) override {
    facts.push_back(std::move(given));
    return add_file(path, bytes);
  }
  Result<bool> keep_file(std::string_view path) override {
    if (path == "broken") return Error(Code::kInternal, "it cannot be read");
    return path == "kept";
  }
  Status add_directory(const std::filesystem::path& path) override {
    return add_file(path.string(), "");
  }
  [[nodiscard]] std::uint64_t file_limit() const override { return 1234; }
  Status add_large(std::string_view path, std::uint64_t size) override {
    return add_file(std::string(path) + " of " + std::to_string(size), "");
  }
  Status add_link(std::string_view path) override {
    return add_file(std::string(path) + " links", "");
  }
  Status use_in_place(const std::filesystem::path& path) override {
    return add_file(path.string(), "");
  }
  Result<std::string_view> scratch() override {
    return limit == 0 ? Error(Code::kUnavailable, "no space")
                      : Result<std::string_view>("/scratch");
  }

  std::vector<std::string> added;
  std::vector<FileFacts> facts;
  std::size_t limit = 10;
};

class Resource : public ::testing::Test {
 protected:
  std::shared_ptr<ResourceType> type(const quarry_resource_v1* table = &kTable) {
    component_ = scripted_component(QUARRY_RESOURCE, table);
    return adapt_resource(*make_instance(component_, &script_)).value();
  }
  void answer(std::string json) {
    script_.asked = [json = std::move(json)](auto*, auto, auto* reply) { say(reply, json); };
  }

  Script script_;
  quarry_component component_{};
};

TEST_F(Resource, IsOfTheTypeItsComponentIsNamed) {
  script_.describe = [](auto* reply) {
    say(reply, R"({"type":"other","title":"T","schema":{"type":"object"}})");
  };
  EXPECT_EQ(type()->describe().type, "scripted");
  EXPECT_EQ(type()->describe().schema, R"({"type":"object"})");
}

TEST_F(Resource, FieldErrorsComeThrough) {
  script_.asked = [](auto*, auto, auto* reply) {
    const quarry_failure failure{
        sizeof failure, QUARRY_INVALID_ARGUMENT, as_text("no such branch"), as_text("use main"),
        as_text(R"({"tag":"ConfigError","fields":[{"field":"/branch","message":"unknown"},7]})")};
    reply->failure(reply, &failure);
  };
  const auto answered = type()->normalise({}, Json::object());
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().tag, "ConfigError");
  EXPECT_EQ(answered.error().hint, "use main");
  ASSERT_EQ(answered.error().details.size(), 1u);
  EXPECT_EQ(answered.error().details.front().field, "/branch");
}

TEST_F(Resource, AFailureWithoutItsTextIsTheTypesFault) {
  script_.asked = [](auto*, auto, auto* reply) { reply->failure(reply, nullptr); };
  EXPECT_THAT(fault(type()->normalise({}, Json::object())), HasSubstr("without a failure"));
  script_.asked = [](auto*, auto, auto* reply) {
    const quarry_failure failure{4, QUARRY_NOT_FOUND, {}, {}, {}};
    reply->failure(reply, &failure);
  };
  EXPECT_THAT(fault(type()->resolve({}, Json::object(), {})), HasSubstr("without a failure"));
}

TEST_F(Resource, ACallMayReadTheSecretsThatItsResourceNames) {
  script_.describe = [](auto* reply) {
    say(reply, R"({"title":"T","schema":{"properties":{"token":{"writeOnly":true},)"
               R"("branch":{"enum":["x"]}}}})");
  };
  std::vector<std::string> secrets;
  script_.asked = [&](auto* call, auto, auto* reply) {
    secrets = CallTable::find(call)->rights().secrets;
    say(reply, R"({"id":"1","resource":{}})");
  };
  Permissions permissions;
  permissions.secret_fields = {"/token", "/branch", "/key", "/none", "/branch/enum/"};
  component_ = scripted_component(QUARRY_RESOURCE, &kTable);
  const auto own = R"({"key":"resource_type.scripted.key"})";
  const auto type = adapt_resource(*make_instance(component_, &script_, permissions, own)).value();
  ASSERT_TRUE(
      type->resolve({}, {{"token", "resource.a.token"}, {"branch", "resource.b.token"}}, {}));
  EXPECT_THAT(secrets, ::testing::ElementsAre("resource.a.token", "resource_type.scripted.key"));
  ASSERT_TRUE(type->parse_reference({}, "x"));
  EXPECT_THAT(secrets, ::testing::ElementsAre("resource_type.scripted.key"));
}

TEST_F(Resource, APluginMayNotWriteTheNameOfAnotherSecretIntoAResource) {
  script_.describe = [](auto* reply) {
    say(reply, R"({"title":"T","schema":{"properties":{"token":{"writeOnly":true}}}})");
  };
  Permissions permissions;
  permissions.secret_fields = {"/token"};
  component_ = scripted_component(QUARRY_RESOURCE, &kTable);
  const auto type = adapt_resource(*make_instance(component_, &script_, permissions)).value();
  const Json own{{"token", "resource.a.token"}};
  answer(R"({"token":"resource.b.token"})");
  const auto words = HasSubstr("wrote the name of the secret \"resource.b.token\"");
  EXPECT_THAT(fault(type->normalise({}, own)), words);
  EXPECT_THAT(fault(type->normalise({}, Json::object())), words);
  answer(R"({"id":"1","resource":{"token":"resource.b.token"}})");
  EXPECT_THAT(fault(type->resolve({}, own, {})), words);
  EXPECT_THAT(fault(type->parse_reference({}, "x")), words);
  answer(R"({"token":"resource.a.token"})");
  EXPECT_TRUE(type->normalise({}, own));
  answer(R"({"token":""})");
  EXPECT_TRUE(type->normalise({}, own));
}

TEST_F(Resource, APluginMayNotWriteAHostIntoAResourceThatDoesNotNameIt) {
  script_.describe = [](auto* reply) { say(reply, R"({"title":"T","schema":{}})"); };
  Permissions permissions;
  permissions.host_fields = {"/url"};
  component_ = scripted_component(QUARRY_RESOURCE, &kTable);
  const auto type = adapt_resource(*make_instance(component_, &script_, permissions)).value();
  const Json given{{"url", "https://a.example/x"}};
  answer(R"({"url":"https://b.example/x"})");
  const auto words = HasSubstr("wrote the host \"b.example\" into a resource");
  EXPECT_THAT(fault(type->normalise({}, given)), words);
  answer(R"({"id":"1","resource":{"url":"https://b.example/x"}})");
  EXPECT_THAT(fault(type->resolve({}, given, {})), words);
  answer(R"({"resource":{"url":"https://b.example/x"}})");
  EXPECT_THAT(fault(type->parse_reference({}, "x:a.example")), words);
  EXPECT_TRUE(type->parse_reference({}, "x:B.example"));
  answer(R"({"url":"https://A.example/"})");
  EXPECT_TRUE(type->normalise({}, given));
}

TEST_F(Resource, AVersionNeedsAnId) {
  answer(R"({"id":"1a2b","immutable":true})");
  EXPECT_EQ(type()->resolve({}, Json::object(), {})->display, "1a2b");
  const std::pair<std::string, const char*> wrongs[] = {
      {"{}", "/id is required"},
      {R"({"id":7})", "/id must be of type string"},
      {R"({"id":""})", "/id must not be empty"},
      {R"({"id":")" + std::string(1025, 'x') + "\"}", "/id must have at most 1024 characters"},
      {R"({"id":"1","display":5})", "/display must be of type string"},
      {R"({"id":"1","immutable":"yes"})", "/immutable must be of type boolean"}};
  for (const auto& [said, words] : wrongs) {
    answer(said);
    EXPECT_THAT(fault(type()->resolve({}, Json::object(), {})), HasSubstr(words));
  }
}

TEST_F(Resource, AVersionMayBringItsIntegrityAndMembersThatWereLeftOut) {
  answer(R"({"id":"1.0.0","integrity":"sha512-x","resource":{"branch":"trunk"}})");
  const auto version = type()->resolve({}, Json::object(), {});
  EXPECT_EQ(version->integrity, "sha512-x");
  EXPECT_EQ(version->fields, (Json{{"branch", "trunk"}}));
  answer(R"({"id":"1.0.0","resource":7})");
  EXPECT_THAT(fault(type()->resolve({}, Json::object(), {})),
              HasSubstr("/resource must be of type object"));
}

TEST_F(Resource, AFetchIsToldTheIntegrity) {
  script_.fetch = [](auto*, auto* reply) { say(reply, R"({"notes":["Part x is missing."]})"); };
  Files files;
  const ResourceVersion version{"1", true, "one", "sha512-x", Json::object()};
  const auto metadata = type()->fetch({}, Json::object(), version, {}, files);
  ASSERT_TRUE(metadata);
  EXPECT_THAT(script_.version, HasSubstr(R"("integrity":"sha512-x")"));
  EXPECT_EQ(metadata->notes, std::vector<std::string>{"Part x is missing."});
}

TEST_F(Resource, MetadataOfAWrongTypeIsTheTypesFault) {
  const std::pair<const char*, const char*> wrongs[] = {
      {R"({"permalink":5})", "/permalink must be of type string"},
      {R"({"notes":"one"})", "/notes must be of type array"},
      {R"({"generated":[7]})", "/generated/0 must be of type string"}};
  for (const auto& [said, words] : wrongs) {
    script_.fetch = [said](auto*, auto* reply) { say(reply, said); };
    Files files;
    const ResourceVersion version{"1", true, "one", "", Json::object()};
    EXPECT_THAT(fault(type()->fetch({}, Json::object(), version, {}, files)), HasSubstr(words));
  }
}

TEST_F(Resource, ATypeNeedsATitleAndASchema) {
  const std::pair<const char*, const char*> wrongs[] = {
      {R"({"schema":{}})", "/title is required"},
      {R"({"title":"T"})", "/schema is required"},
      {R"({"title":"T","schema":[]})", "/schema must be of type object"}};
  for (const auto& [said, words] : wrongs) {
    script_.describe = [said](auto* reply) { say(reply, said); };
    component_ = scripted_component(QUARRY_RESOURCE, &kTable);
    EXPECT_THAT(fault(adapt_resource(*make_instance(component_, &script_))), HasSubstr(words));
  }
}

TEST_F(Resource, ASchemaNamesNoMemberOfEveryResourceAndNoUnsupportedKeyword) {
  const std::pair<const char*, const char*> wrongs[] = {
      {R"({"properties":{"type":{}}})", "names \"type\", which every resource has"},
      {R"({"properties":{"principal":{}}})", "names \"principal\", which requests have"},
      {R"({"properties":{"_project":{}}})", "names that begin with \"_\" are the host's"},
      {R"({"properties":{"name":{}}})", "names \"name\", which"},
      {R"({"properties":{"refresh":{}}})", "names \"refresh\", which"},
      {R"({"required":["refreshInBackground"]})", "names \"refreshInBackground\", which"},
      {R"({"properties":{"url":{"oneOf":[]}}})", "at /properties/url/oneOf is not supported"}};
  for (const auto& [schema, words] : wrongs) {
    script_.describe = [schema](auto* reply) {
      say(reply, R"({"title":"T","schema":)" + std::string(schema) + "}");
    };
    component_ = scripted_component(QUARRY_RESOURCE, &kTable);
    const auto message = fault(adapt_resource(*make_instance(component_, &script_)));
    EXPECT_THAT(message, HasSubstr(words));
    EXPECT_THAT(message, HasSubstr("org.example.scripted"));
  }
  script_.describe = [](auto* reply) {
    say(reply, R"({"title":"T","schema":{"properties":{"names":{}},"required":["names"]}})");
  };
  EXPECT_TRUE(adapt_resource(*make_instance(component_, &script_)));
}

TEST_F(Resource, NotesAreBounded) {
  script_.fetch = [](auto*, auto* reply) {
    Json notes = Json::array();
    for (int i = 0; i < 30; ++i) notes.push_back(std::string(299, 'x') + "é and more");
    say(reply, to_text(Json{{"notes", notes}}));
  };
  Files files;
  const auto metadata = type()->fetch({}, Json::object(), {"1", true, "one", "", {}}, {}, files);
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->notes.size(), 20u);
  EXPECT_EQ(metadata->notes.front(), std::string(299, 'x'));
}

TEST_F(Resource, FilesMayBeListedWithoutTheirBytes) {
  script_.fetch = [](auto* tree, auto* reply) {
    tree->add_large(tree, as_text("big.bin"), tree->file_limit + 1);
    tree->add_link(tree, as_text("link"));
    say(reply, "{}");
  };
  Files files;
  ASSERT_TRUE(type()->fetch({}, Json::object(), {"1", true, "one", "", {}}, {}, files));
  EXPECT_THAT(files.added, ::testing::ElementsAre("big.bin of 1235", "link links"));
}

TEST_F(Resource, AWrongPathNamesThePlugin) {
  script_.fetch = [](auto* tree, auto* reply) {
    tree->add_file(tree, as_text("../outside"), as_text(""));
    say(reply, "{}");
  };
  Files files;
  const auto fetched = type()->fetch({}, Json::object(), {"1", true, "one", "", {}}, {}, files);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, Code::kInvalidArgument);
  EXPECT_THAT(fetched.error().message, HasSubstr("(org.example.scripted): the path leaves"));
}

TEST_F(Resource, AHugeValueIsRefused) {
  answer(std::string(QUARRY_LIMIT_VALUE + 1, ' '));
  const auto answered = type()->normalise({}, Json::object());
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, Code::kInternal);
  EXPECT_THAT(answered.error().message, HasSubstr("(org.example.scripted): the plugin answered"));
}

TEST_F(Resource, ATagOfAnotherFormIsIgnored) {
  const auto tag_of = [this](const std::string& tag) {
    script_.asked = [&tag](auto*, auto, auto* reply) {
      const auto details = to_text(Json{{"tag", tag}});
      const quarry_failure failure{
          sizeof failure, QUARRY_INVALID_ARGUMENT, as_text("no"), {}, as_text(details)};
      reply->failure(reply, &failure);
    };
    return type()->normalise({}, Json::object()).error().tag;
  };
  EXPECT_EQ(tag_of("ConfigError"), "ConfigError");
  EXPECT_EQ(tag_of("A" + std::string(63, 'b')), "A" + std::string(63, 'b'));
  for (const std::string& wrong : {std::string(), std::string("configError"), std::string("A b"),
                                   std::string("A1"), "A" + std::string(64, 'b')}) {
    EXPECT_EQ(tag_of(wrong), "") << wrong;
  }
}

TEST_F(Resource, ACancelledCallIsSeen) {
  std::stop_source stop;
  stop.request_stop();
  script_.asked = [](auto* call, auto, auto* reply) {
    say_failure(reply, call->state(call), "stopped");
  };
  const auto answered = type()->resolve({.stop = stop.get_token()}, Json::object(), {});
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, Code::kCancelled);
}

TEST_F(Resource, FilesReachTheTree) {
  script_.fetch = [](auto* tree, auto* reply) {
    EXPECT_EQ(as_view(tree->scratch(tree)), "/scratch");
    EXPECT_EQ(tree->add_file(tree, as_text("a"), as_text("x")), QUARRY_OK);
    EXPECT_EQ(tree->add_directory(tree, as_text("/b")), QUARRY_OK);
    EXPECT_EQ(tree->use_in_place(tree, as_text("/c")), QUARRY_OK);
    say(reply, R"({"permalink":"https://x/{path}","generated":["PAGE.md"]})");
  };
  Files files;
  const auto fetched = type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, {}, files);
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->permalink, "https://x/{path}");
  EXPECT_EQ(fetched->generated, std::vector<std::string>{"PAGE.md"});
  EXPECT_THAT(files.added, ::testing::ElementsAre("a", "/b", "/c"));
}

TEST_F(Resource, TheFirstRefusalOfTheTreeIsTheOutcomeWhateverTheTypeSays) {
  script_.fetch = [](auto* tree, auto* reply) {
    EXPECT_EQ(as_view(tree->scratch(tree)), "");
    EXPECT_EQ(tree->add_file(tree, as_text("a"), as_text("x")), QUARRY_UNAVAILABLE);
    EXPECT_EQ(as_view(tree->scratch(tree)), "");
    say(reply, "{}");
  };
  Files files;
  files.limit = 0;
  const auto fetched = type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, {}, files);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "no space");
}

TEST_F(Resource, AReferenceIsReadOrNotItsOwn) {
  answer("null");
  EXPECT_FALSE(type()->parse_reference({}, "npm:react").value());
  answer(R"({"resource":{"package":"react"},"confidence":100})");
  const auto sure = type()->parse_reference({}, "npm:react").value();
  EXPECT_EQ(sure->resource, (Json{{"package", "react"}}));
  EXPECT_EQ(sure->confidence, 100);
  answer(R"({"resource":{}})");
  EXPECT_EQ(type()->parse_reference({}, "npm:react").value()->confidence, 50);
}

TEST_F(Resource, AReferenceReadWronglyIsTheTypesFault) {
  const std::pair<const char*, const char*> wrongs[] = {
      {"[]", "it must be of type object or null"},
      {R"({"package":"react"})", "/resource is required"},
      {R"({"resource":7})", "/resource must be of type object"},
      {R"({"resource":{},"confidence":0})", "/confidence must be at least 1"},
      {R"({"resource":{},"confidence":101})", "/confidence must be at most 100"},
      {R"({"resource":{},"confidence":"90"})", "/confidence must be of type integer"}};
  for (const auto& [said, words] : wrongs) {
    answer(said);
    EXPECT_THAT(fault(type()->parse_reference({}, "npm:react")), HasSubstr(words)) << said;
  }
}

TEST_F(Resource, AVersionReachesTheFetchUnchangedAndTheNextResolve) {
  const std::string said = R"({ "id":"1",  "etag" : "x\u00e9", "id2":2})";
  answer(said);
  const auto version = type()->resolve({}, Json::object(), {});
  ASSERT_TRUE(version);
  EXPECT_EQ(script_.last, "");
  script_.fetch = [](auto*, auto* reply) { say(reply, R"({"state":{"pages":[1,2]}})"); };
  Files files;
  const auto fetched = type()->fetch({}, Json::object(), *version, {R"({"id":"0"})", ""}, files);
  ASSERT_TRUE(fetched);
  EXPECT_EQ(script_.version, said);
  EXPECT_EQ(script_.last, R"({"version":{"id":"0"}})");
  answer(said);
  ASSERT_TRUE(type()->resolve({}, Json::object(), {version->text, fetched->state}));
  EXPECT_EQ(script_.last, R"({"version":)" + said + R"(,"state":{"pages":[1,2]}})");
}

TEST_F(Resource, AVersionAndAStateAreBounded) {
  answer(R"({"id":"1","etag":")" + std::string(64u << 10, 'x') + "\"}");
  EXPECT_THAT(fault(type()->resolve({}, Json::object(), {})), HasSubstr("more than 65536 bytes"));
  script_.fetch = [](auto*, auto* reply) {
    say(reply, R"({"state":")" + std::string(64u << 10, 'x') + "\"}");
  };
  Files files;
  EXPECT_THAT(fault(type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, {}, files)),
              HasSubstr("state has more than 65536 bytes"));
}

TEST_F(Resource, FilesHaveFacts) {
  script_.fetch = [](auto* tree, auto* reply) {
    const quarry_file file{sizeof file,           0,
                           as_text("a.md"),       as_text("https://x.example/a#L{start}"),
                           as_text("Title \xff"), as_text("text/html")};
    EXPECT_EQ(tree->add_described(tree, &file, as_text("x")), QUARRY_OK);
    say(reply, "{}");
  };
  Files files;
  ASSERT_TRUE(type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, {}, files));
  EXPECT_THAT(files.added, ::testing::ElementsAre("a.md"));
  EXPECT_THAT(files.facts, ::testing::ElementsAre(FileFacts{"https://x.example/a#L{start}",
                                                            "Title \xEF\xBF\xBD", "text/html"}));
}

TEST_F(Resource, WrongFactsOfAFileAreTheTypesFault) {
  const std::string long_url = "https://" + std::string(2048, 'x');
  const std::string long_title(301, 'x');
  const std::string long_type(101, 'x');
  const quarry_file sound{sizeof sound, 0, as_text("a"), {}, {}, {}};
  std::vector<std::pair<quarry_file, const char*>> wrongs(6, {sound, ""});
  wrongs[0].first.struct_size = 8, wrongs[0].second = "without its facts";
  wrongs[1].first.permalink = as_text("file:///etc/passwd"), wrongs[1].second = "no http or https";
  wrongs[2].first.permalink = as_text(long_url), wrongs[2].second = "permalink of more than 2048";
  wrongs[3].first.title = as_text(long_title), wrongs[3].second = "title of more than 300";
  wrongs[4].first.media_type = as_text(long_type), wrongs[4].second = "media type of more than 100";
  wrongs[5].first.permalink = as_text("https://\xff"), wrongs[5].second = "no http or https";
  for (const auto& [file, words] : wrongs) {
    script_.fetch = [&file = file](auto* tree, auto* reply) {
      EXPECT_EQ(tree->add_described(tree, &file, as_text("x")), QUARRY_INTERNAL);
      say(reply, "{}");
    };
    Files files;
    const auto fetched = type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, {}, files);
    ASSERT_FALSE(fetched);
    EXPECT_THAT(fetched.error().message, HasSubstr(words));
  }
}

TEST_F(Resource, AFileWithAReservedValueIsRefused) {
  script_.fetch = [](auto* tree, auto* reply) {
    const quarry_file file{sizeof file, 1, as_text("a"), {}, {}, {}};
    EXPECT_EQ(tree->add_described(tree, &file, as_text("x")), QUARRY_INVALID_ARGUMENT);
    say(reply, "{}");
  };
  Files files;
  const auto fetched = type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, {}, files);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, Code::kInvalidArgument);
  EXPECT_THAT(fetched.error().message, HasSubstr("reserved is 1 and must be 0"));
  EXPECT_TRUE(files.added.empty());
}

TEST_F(Resource, AFileIsKeptOrMissingOrUnreadable) {
  script_.fetch = [](auto* tree, auto* reply) {
    EXPECT_EQ(tree->keep_file(tree, as_text("kept")), QUARRY_OK);
    EXPECT_EQ(tree->keep_file(tree, as_text("new")), QUARRY_NOT_FOUND);
    EXPECT_EQ(tree->add_file(tree, as_text("new"), as_text("x")), QUARRY_OK);
    EXPECT_EQ(tree->keep_file(tree, as_text("broken")), QUARRY_INTERNAL);
    EXPECT_EQ(tree->keep_file(tree, as_text("kept")), QUARRY_INTERNAL);
    say(reply, "{}");
  };
  Files files;
  const auto fetched = type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, {}, files);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "it cannot be read");
}

TEST_F(Resource, AnOlderTableReadsNoReferences) {
  auto older = kTable;
  older.struct_size = offsetof(quarry_resource_v1, parse_reference);
  EXPECT_FALSE(type(&older)->parse_reference({}, "npm:react").value());
}

}  // namespace
}  // namespace quarry::plugins
