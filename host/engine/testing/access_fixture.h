#pragma once

#include "engine/testing/engine_fixture.h"

#include <map>
#include <string>

namespace quarry::engine::testing {

/// A fixture for engines with a store of tokens.
struct AccessTest : EngineTest {
  AccessTest() { std::filesystem::create_directories(root / "shared/docs"); }

  /// `more` is appended to the table [store].
  void begin_with(const std::string& more = {}, const std::string& model = {}) {
    write("shared/docs/parser.md", "# The parser\n\nThe parser reads tokens one at a time.\n");
    write("quarry.toml", "local_roots = [\"" + (root / "shared").string() + "\"]\n" +
                             (model.empty() ? "[model]\nprovider = \"extractive\"\n" : model) +
                             "[store]\nfile = \"" + (root / "store.db").string() + "\"\n" + more);
    start_again();
  }
  void start_again() {
    engine.reset();
    Options with_store = options();
    with_store.store = true;
    auto started = Engine::start(with_store);
    ASSERT_TRUE(started) << started.error().message;
    engine = std::move(*started);
  }

  /// Creates a token, and its project if missing; returns the token and stores its id in `ids`.
  std::string make_token(const std::string& project, Json more = Json::object()) {
    static_cast<void>(engine->call_and_wait("projects.create", to_text({{"name", project}})));
    more["projects"] = {project};
    if (!more.contains("rights")) more["rights"] = {"add", "ask", "list"};
    const Json made = call("tokens.create", more);
    ids[made["token"]] = made["id"];
    return made["token"];
  }
  Json admit(const std::string& token) {
    return call("access.admit", {{"authorization", token}, {"count", true}});
  }
  Json principal(const std::string& token, const std::string& project = {}) {
    Json out{{"token", admit(token)["token"]}};
    if (!project.empty()) out["project"] = project;
    return out;
  }
  Json folder(const std::string& name) const {
    return {{"type", "local"}, {"name", name}, {"path", (root / "shared/docs").string()}};
  }
  Json with(Json params, const Json& principal) {
    params["principal"] = principal;
    return params;
  }
  void add_folder(const std::string& token, const std::string& name) {
    call("resources.add", with(folder(name), principal(token)));
  }

  std::map<std::string, std::string> ids;
};

}  // namespace quarry::engine::testing
