#include "base/testing/waiting.h"
#include "engine/testing/access_fixture.h"

#include <filesystem>
#include <future>
#include <memory>

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The text of a resource of the configuration that does not exist.
constexpr std::string_view kBroken =
    "\n[[resource]]\ntype = \"local\"\nname = \"gone\"\npath = \"/nowhere\"\n";

/// Knows two meanings.
class TwoMeanings final : public corpus::Encoder {
 public:
  [[nodiscard]] std::string identity() const override { return "two meanings"; }
  Result<std::vector<float>> encode(std::span<const std::string_view> texts, corpus::TextKind,
                                    std::stop_token) override {
    std::vector<float> out;
    for (const std::string_view text : texts) {
      out.push_back(text.contains("parser") || text.contains("syntax") ? 1.0F : 0.0F);
      out.push_back(text.contains("writer") || text.contains("output") ? 1.0F : 0.0F);
    }
    return out;
  }
};

struct ToolMethods : testing::EngineTest {
  void start_with(std::string_view more) {
    write("quarry.toml", *read_file(root / "quarry.toml") + std::string(more));
    start();
  }
};

TEST_F(ToolMethods, AreDescribedInTheirOrder) {
  start();
  std::vector<std::string> names;
  const Json tools = call("tools")["tools"];
  for (const Json& tool : tools) {
    names.push_back(tool["name"]);
    EXPECT_EQ(tool["right"], "read");
    EXPECT_THAT(tool["description"].get<std::string>(), HasSubstr("Example: {"));
    EXPECT_EQ(tool["params"],
              call("methods")["methods"][tool["method"].get<std::string>()]["params"]);
  }
  EXPECT_THAT(names, ElementsAre("search", "grep", "symbols", "list", "read", "sync"));
}

TEST_F(ToolMethods, FindWhatTheResourcesHold) {
  start();
  const Json found = call("tools.search", {{"query", "what reads tokens"}})["hits"][0];
  EXPECT_EQ(found["path"], "docs/parser.md");
  EXPECT_EQ(found["citation"], "[docs:parser.md#L1-L4]");
  const Json line = call("tools.grep", {{"pattern", "one at a time"}})["hits"][0];
  EXPECT_EQ(line["startLine"], 3);
  EXPECT_EQ(line["text"], "The parser reads tokens one at a time.");
  EXPECT_EQ(call("tools.list", {{"path", "docs"}})["entries"].size(), 2u);
  EXPECT_EQ(call("tools.list")["entries"][0]["version"], found["version"]);
  EXPECT_EQ(call("tools.read", {{"path", "docs/writer.md"}, {"startLine", 3}})["hits"][0]["text"],
            "The writer buffers lines.");
  EXPECT_EQ(call("tools.sync")["resources"][0]["version"], found["version"]);
}

/// Disables every analyser of the program.
std::string without_analysers() {
  std::string ids;
  for (const auto& plugin :
       fs::directory_iterator(fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins")) {
    const std::string name = plugin.path().filename();
    if (name.starts_with("symbols-")) ids += "\"io.quarry." + name + "\", ";
  }
  return "\n[plugins]\ndisabled = [" + ids + "]\n";
}

TEST_F(ToolMethods, SearchForAQuestionOfAnyLength) {
  start();
  std::string question = "The parser loses tokens\n\n";
  while (question.size() < 400'000) question += "It printed this line of a log again.\n";
  EXPECT_EQ(call("tools.search", {{"query", question}})["hits"][0]["path"], "docs/parser.md");
}

TEST_F(ToolMethods, FindNoSymbolsWithoutAnAnalyser) {
  start_with(without_analysers());
  const Error error = failure("tools.symbols", {{"name", "parse"}});
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("symbols are not available"));
  EXPECT_THAT(error.hint, HasSubstr("grep"));
}

TEST_F(ToolMethods, SearchByMeaningWithAnEncoder) {
  auto with_encoder = options();
  with_encoder.encoder = std::make_shared<TwoMeanings>();
  engine = *Engine::start(std::move(with_encoder));
  Json found;
  wait_until([&] {
    found = call("tools.search", {{"query", "syntax handling"}});
    if (!found["hits"].empty()) return true;
    EXPECT_THAT(found["note"].get<std::string>(), HasSubstr("No passage fits"));
    return false;
  });
  ASSERT_EQ(found["hits"].size(), 1u);
  EXPECT_EQ(found["hits"][0]["path"], "docs/parser.md");
  EXPECT_FALSE(found.contains("note"));
  EXPECT_TRUE(
      call("tools.search", {{"query", "syntax handling"}, {"wordsOnly", true}})["hits"].empty());
}

TEST_F(ToolMethods, TakeReferencesInsteadOfNames) {
  start();
  const Json answer =
      call("tools.grep", {{"pattern", "interest"}, {"resources", {(root / "more").string()}}});
  EXPECT_EQ(answer["hits"][0]["path"], "more/readme.md");
  EXPECT_EQ(failure("tools.grep", {{"pattern", "x"}, {"resources", {"nothing"}}}).tag,
            "CollectionError");
}

TEST_F(ToolMethods, AnswerAsTextOnRequest) {
  start_with(kBroken);
  const Json text = call("tools.grep", {{"pattern", "tokens"}, {"form", "text"}});
  EXPECT_FALSE(text.contains("hits"));
  EXPECT_THAT(text["text"].get<std::string>(), HasSubstr("\ndocs/parser.md:3: "));
  EXPECT_THAT(text["text"].get<std::string>(), HasSubstr("\n(Not read: gone: "));
  const Json both = call("tools.grep", {{"pattern", "tokens"}, {"form", "both"}});
  EXPECT_EQ(both["text"], text["text"]);
  EXPECT_EQ(both["hits"][0]["startLine"], 3);
  EXPECT_THAT(call("tools.sync", {{"form", "text"}})["text"].get<std::string>(),
              HasSubstr("docs: version "));
  EXPECT_EQ(failure("tools.grep", {{"pattern", "x"}, {"form", "xml"}}).tag, "RequestError");
}

TEST_F(ToolMethods, UseTheOtherResourcesWhenOneIsBroken) {
  start_with(kBroken);
  const Json answer = call("tools.search", {{"query", "tokens"}});
  EXPECT_EQ(answer["hits"][0]["path"], "docs/parser.md");
  ASSERT_EQ(answer["failed"].size(), 1u);
  EXPECT_EQ(answer["failed"][0]["name"], "gone");
  EXPECT_THAT(answer["failed"][0]["error"]["message"].get<std::string>(), HasSubstr("/nowhere"));
  const Error alone = failure("tools.search", {{"query", "tokens"}, {"resources", {"gone"}}});
  EXPECT_EQ(alone.tag, "CollectionError");
  EXPECT_THAT(alone.message, HasSubstr("/nowhere"));
}

TEST_F(ToolMethods, PrepareTheResourceThatThePathNamesAlone) {
  start_with(kBroken);
  for (const char* path : {"docs/parser.md", "/DOCS/./parser.md"}) {
    const Json read = call("tools.read", {{"path", path}});
    EXPECT_EQ(read["hits"][0]["path"], "docs/parser.md");
    EXPECT_FALSE(read.contains("failed")) << "the broken one was not asked for";
  }
  EXPECT_FALSE(call("tools.search", {{"query", "tokens"}, {"path", "docs"}}).contains("failed"));
  EXPECT_FALSE(call("tools.list", {{"path", "docs"}}).contains("failed"));
  EXPECT_TRUE(call("tools.list").contains("failed"));
  EXPECT_THAT(failure("tools.read", {{"path", "gone/a.md"}}).message, HasSubstr("/nowhere"));
  EXPECT_THAT(failure("tools.read", {{"path", "docz/parser.md"}}).message, HasSubstr("docz"));
}

TEST_F(ToolMethods, RefuseACursorOnceTheResourceHasChanged) {
  start();
  const Json arguments{{"pattern", "e"}, {"limit", 1}};
  Json next = arguments;
  next["cursor"] = call("tools.grep", arguments)["cursor"];
  EXPECT_EQ(call("tools.grep", next)["hits"].size(), 1u);
  start();  // a cursor survives the end of its host
  EXPECT_EQ(call("tools.grep", next)["hits"].size(), 1u);
  write("docs/parser.md", "# Another parser\n");
  const Error changed = failure("tools.grep", next);
  EXPECT_THAT(changed.message, HasSubstr("have changed since"));
  EXPECT_EQ(changed.details[0].field, "/cursor");
}

TEST_F(ToolMethods, ThatDoNotExistNameThoseThatDo) {
  start();
  const Error error = failure("tools.write");
  EXPECT_EQ(error.tag, "NotFound");
  EXPECT_THAT(error.message, HasSubstr("no tool \"write\""));
  EXPECT_THAT(error.hint, HasSubstr("search, grep, symbols, list, read, sync"));
}

/// An engine over a resource whose fetch does not end by itself.
struct BusyTools : testing::EngineTest {
  void start_busy(const std::string& model = {}) {
    std::filesystem::create_directories(root / "source/files");
    write("source/VERSION", "v1");
    write("source/BUSY", "");
    write("quarry.toml", "[model]\nprovider = \"extractive\"\n" + model +
                             "\n[[resource]]\ntype = \"fixture\"\nname = \"zoo\"\nsource = \"" +
                             (root / "source").string() + "\"\n");
    start();
  }
};

TEST_F(BusyTools, TellTheirProgressAndCanBeCancelled) {
  start_busy();
  std::promise<std::string> progress;
  std::promise<Result<std::string>> reply;
  std::once_flag once;
  const auto handle = engine->call(
      "tools.search", R"({"query": "zebra"})",
      [&](Result<std::string> result) { reply.set_value(std::move(result)); },
      [&](std::string_view json) {
        std::call_once(once, [&] { progress.set_value(std::string(json)); });
      });
  EXPECT_EQ((*parse_json(progress.get_future().get()))["resource"], "zoo");
  engine->cancel(handle);
  const auto result = reply.get_future().get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kCancelled);
}

TEST_F(BusyTools, EndAfterTheTimeOfAQuestion) {
  start_busy("max_seconds = 1\n");
  const Error error = failure("tools.search", {{"query", "zebra"}});
  EXPECT_EQ(error.tag, "TimeoutError");
  EXPECT_THAT(error.message, HasSubstr("1 s (model.max_seconds)"));
}

struct ToolAccess : testing::AccessTest {};

TEST_F(ToolAccess, NeedsTheRightToRead) {
  begin_with();
  const std::string writer = make_token("one");
  add_folder(writer, "docs");
  for (const char* method :
       {"tools.search", "tools.grep", "tools.list", "tools.read", "tools.sync"}) {
    Json params{{"query", "tokens"}, {"pattern", "tokens"}, {"path", "docs/parser.md"}};
    if (method == std::string("tools.sync") || method == std::string("tools.list")) {
      params = Json::object();
    }
    if (method == std::string("tools.search")) params.erase("pattern");
    if (method == std::string("tools.grep")) params.erase("query");
    if (method == std::string("tools.read")) params = {{"path", "docs/parser.md"}};
    EXPECT_EQ(failure(method, with(params, principal(writer))).tag, "RightsError") << method;
    const std::string reader = make_token("one", {{"rights", {"read"}}});
    EXPECT_FALSE(call(method, with(params, principal(reader))).empty()) << method;
  }
}

TEST_F(ToolAccess, SeesOnlyTheResourcesOfItsProject) {
  begin_with();
  add_folder(make_token("one"), "docs");
  const std::string other = make_token("two", {{"rights", {"read"}}});
  EXPECT_EQ(failure("tools.list", with(Json::object(), principal(other))).tag, "CollectionError");
  for (const std::string& name : {std::string("docs"), (root / "shared/docs").string()}) {
    const Json params{{"pattern", "tokens"}, {"resources", {name}}};
    EXPECT_EQ(failure("tools.grep", with(params, principal(other))).tag, "CollectionError") << name;
  }
}

TEST_F(ToolAccess, GivesItsStreamBack) {
  begin_with();
  const std::string reader = make_token("one", {{"rights", {"add", "read"}}, {"streams", 1}});
  add_folder(reader, "docs");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call("tools.list", with(Json::object(), principal(reader)))["total"], 1);
  }
}

}  // namespace
}  // namespace quarry::engine
