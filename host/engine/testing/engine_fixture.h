#pragma once

#include "ask/testing/test_services.h"
#include "base/file.h"
#include "base/schema.h"
#include "engine/engine.h"
#include "engine/testing/stream_server.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <quarry_places.h>
#include <quarry_test.h>
#include <string>

namespace quarry::engine::testing {

namespace fs = std::filesystem;
using ask::testing::Event;

/// The key of a second model, for the environment variable WORK_KEY.
inline std::string work_key() {
  return "work-" + test_key();
}

/// A fixture with a real engine over folders and a configuration in its own directory.
struct EngineTest : ::testing::Test {
  EngineTest() {
    ::setenv("FIXTURE_KEY", test_key().c_str(), 1);
    fs::create_directories(root / "docs");
    fs::create_directories(root / "more");
    write("docs/parser.md",
          "# The parser\n\nThe parser reads tokens one at a time.\n"
          "It never looks back.\n");
    write("docs/writer.md", "# The writer\n\nThe writer buffers lines.\n");
    write("more/readme.md", "# More\n\nNothing of interest.\n");
    configure("[model]\nprovider = \"extractive\"\n");
  }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(root / file) << text;
  }
  void configure(const std::string& model) {
    write("quarry.toml", "# kept\n" + model +
                             "\n[[resource]]\ntype = \"local\"\nname = \"docs\"\npath = \"" +
                             (root / "docs").string() + "\"\n");
  }
  void use(const std::string& provider, const std::string& url, const std::string& more = {}) {
    configure("[model]\nprovider = \"" + provider + "\"\nname = \"m1\"\nbase_url = \"" + url +
              "\"\n" + more + "\n[pricing.static.\"fixture/m1\"]\ninput = \"1\"\noutput = \"2\"\n");
  }
  void use_fixture(const std::string& url, const std::string& more = {}) {
    use("fixture", url, more);
  }

  Options options() const {
    Options out;
    out.config.working_directory = root;
    out.config.file = root / "quarry.toml";  // like --config, so it may set everything
    out.config.user_directory = root / "user";
    out.config.system_file = root / "none.toml";
    out.config.flags = {{"pricing.refresh", "false"}};
    out.plugin_directories = {fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins",
                              fs::path(QUARRY_BUILD_DIR) / "tests/fixtures"};
    out.cache_directory = root / "cache";
    out.state_directory = root / "state";
    return out;
  }
  void start() {
    auto started = Engine::start(options());
    ASSERT_TRUE(started) << started.error().message;
    engine = std::move(*started);
  }

  /// The value of a method, which must follow the schema of its row.
  Json call(std::string_view method, const Json& params = Json::object()) {
    const auto result = engine->call_and_wait(method, to_text(params));
    EXPECT_TRUE(result) << method << ": " << result.error().message;
    if (!result) return {};
    Json value = *parse_json(*result);
    const Json row = (*parse_json(*engine->call_and_wait("methods", "{}")))["methods"][method];
    const auto schema = Schema::compile(row["result"]);
    EXPECT_TRUE(schema) << method;
    for (const auto& mistake : schema->check(value, Schema::Unknown::kRefuse)) {
      ADD_FAILURE() << method << ": " << mistake.field << ' ' << mistake.message;
    }
    return value;
  }
  Error failure(std::string_view method, const Json& params = Json::object()) {
    const auto result = engine->call_and_wait(method, to_text(params));
    EXPECT_FALSE(result) << method << " answered " << *result;
    return result ? Error() : result.error();
  }

  /// Reads the events of a question, to its end or until `enough` returns true for an event.
  std::vector<Event> events(const std::string& id,
                            const std::function<bool(const Event&)>& enough = nullptr) {
    std::mutex mutex;
    std::condition_variable wake;
    bool woken = false;
    std::vector<Event> out;
    bool over = false;
    const auto reader = engine->open_reader(id, 0, [&] {
      const std::lock_guard lock(mutex);
      woken = true;
      wake.notify_one();
    });
    EXPECT_TRUE(reader);
    while (reader && !over) {
      const quarry_read found = reader->read(
          4096, [&](std::uint64_t number, std::string_view type, std::string_view json) {
            out.push_back({number, std::string(type), *parse_json(json)});
            over = over || (enough && enough(out.back()));
          });
      if (over || found == QUARRY_READ_END) break;
      if (found == QUARRY_READ_MORE) continue;
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return woken; });
      woken = false;
    }
    return out;
  }
  std::string begin(const Json& params) { return call("question.ask", params)["id"]; }
  std::vector<Event> ask(const Json& params) {
    auto out = events(begin(params));
    ask::testing::check_rules(out);
    return out;
  }

  /// Asks a question and returns its meta event.
  Json meta_of(const Json& params) {
    for (const Event& event : ask(params)) {
      if (event.type == "meta") return event.json;
    }
    ADD_FAILURE() << "no meta event";
    return {};
  }

  const fs::path root = test_directory();
  EnginePointer engine;
};

}  // namespace quarry::engine::testing
