#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/resource.h>

#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

using ::testing::HasSubstr;
using Answer = std::function<void(const quarry_reply*)>;

struct Script {
  Answer describe = [](auto* reply) { say(reply, R"({"title":"Scripted"})"); };
  std::function<void(const quarry_call*, quarry_text, const quarry_reply*)> asked;
  std::function<void(const quarry_tree*, const quarry_reply*)> fetch;
  std::string version;  ///< the version to fetch
};

Script& of(void* self) {
  return *static_cast<Script*>(self);
}

constexpr quarry_resource_v1 kTable{
    .struct_size = sizeof(quarry_resource_v1),
    .describe = [](void* self, const quarry_reply* reply) { of(self).describe(reply); },
    .normalise = [](void* self, const quarry_call* call, quarry_text resource,
                    const quarry_reply* reply) { of(self).asked(call, resource, reply); },
    .resolve = [](void* self, const quarry_call* call, quarry_text resource,
                  const quarry_reply* reply) { of(self).asked(call, resource, reply); },
    .fetch =
        [](void* self, const quarry_call*, quarry_text, quarry_text version,
           const quarry_tree* tree, const quarry_reply* reply) {
          of(self).version = as_view(version);
          of(self).fetch(tree, reply);
        },
    .parse_reference =
        [](void* self, quarry_text reference, const quarry_reply* reply) {
          of(self).asked(nullptr, reference, reply);
        }};

/// Accepts files up to a limit.
class Files final : public Tree {
 public:
  Status add_file(std::string_view path, std::string_view) override {
    if (added.size() == limit) return Error(Code::kResourceExhausted, "the snapshot is full");
    added.emplace_back(path);
    return {};
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
  script_.describe = [](auto* reply) { say(reply, R"({"type":"other","schema":7})"); };
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
  EXPECT_THAT(fault(type()->resolve({}, Json::object())), HasSubstr("without a failure"));
}

TEST_F(Resource, AVersionNeedsAnId) {
  answer(R"({"id":"1a2b","immutable":true})");
  EXPECT_EQ(type()->resolve({}, Json::object())->display, "1a2b");
  for (const auto& said : {std::string("{}"), std::string(R"({"id":7})"),
                           R"({"id":")" + std::string(1025, 'x') + "\"}"}) {
    answer(said);
    EXPECT_THAT(fault(type()->resolve({}, Json::object())), HasSubstr("no usable version"));
  }
}

TEST_F(Resource, AVersionMayBringItsIntegrityAndMembersThatWereLeftOut) {
  answer(R"({"id":"1.0.0","integrity":"sha512-x","resource":{"branch":"trunk"}})");
  const auto version = type()->resolve({}, Json::object());
  EXPECT_EQ(version->integrity, "sha512-x");
  EXPECT_EQ(version->fields, (Json{{"branch", "trunk"}}));
  answer(R"({"id":"1.0.0","resource":7})");
  EXPECT_THAT(fault(type()->resolve({}, Json::object())), HasSubstr("no usable version"));
}

TEST_F(Resource, AFetchIsToldTheIntegrity) {
  script_.fetch = [](auto*, auto* reply) { say(reply, R"({"notes":[7,"Part x is missing."]})"); };
  Files files;
  const ResourceVersion version{"1", true, "one", "sha512-x", Json::object()};
  const auto metadata = type()->fetch({}, Json::object(), version, files);
  ASSERT_TRUE(metadata);
  EXPECT_THAT(script_.version, HasSubstr(R"("integrity":"sha512-x")"));
  EXPECT_EQ(metadata->notes, std::vector<std::string>{"Part x is missing."});
}

TEST_F(Resource, NotesAreBounded) {
  script_.fetch = [](auto*, auto* reply) {
    Json notes = Json::array();
    for (int i = 0; i < 30; ++i) notes.push_back(std::string(299, 'x') + "é and more");
    say(reply, to_text(Json{{"notes", notes}}));
  };
  Files files;
  const auto metadata = type()->fetch({}, Json::object(), {"1", true, "one", "", {}}, files);
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
  ASSERT_TRUE(type()->fetch({}, Json::object(), {"1", true, "one", "", {}}, files));
  EXPECT_THAT(files.added, ::testing::ElementsAre("big.bin of 1235", "link links"));
}

TEST_F(Resource, AHugeValueIsRefused) {
  answer(std::string(ReplySlot::kMaxValue + 1, ' '));
  const auto answered = type()->normalise({}, Json::object());
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, Code::kResourceExhausted);
}

TEST_F(Resource, ACancelledCallIsSeen) {
  std::stop_source stop;
  stop.request_stop();
  script_.asked = [](auto* call, auto, auto* reply) {
    say_failure(reply, call->state(call), "stopped");
  };
  const auto answered = type()->resolve({.stop = stop.get_token()}, Json::object());
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
  const auto fetched = type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, files);
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
  const auto fetched = type()->fetch({}, Json::object(), {.id = "1", .display = "1"}, files);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "no space");
}

TEST_F(Resource, AReferenceIsReadOrNotItsOwn) {
  answer("null");
  EXPECT_FALSE(type()->parse_reference("npm:react").value());
  answer(R"({"type":"npm"})");
  EXPECT_EQ((*type()->parse_reference("npm:react").value())["type"], "npm");
  answer("[]");
  EXPECT_THAT(fault(type()->parse_reference("npm:react")), HasSubstr("reply is not a JSON object"));
}

TEST_F(Resource, AnOlderTableReadsNoReferences) {
  auto older = kTable;
  older.struct_size = offsetof(quarry_resource_v1, parse_reference);
  EXPECT_FALSE(type(&older)->parse_reference("npm:react").value());
}

}  // namespace
}  // namespace quarry::plugins
