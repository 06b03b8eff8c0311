#include "ask/testing/test_services.h"
#include "engine/engine.h"
#include "engine/price_refresher.h"
#include "engine/testing/stream_server.h"
#include "services/paths.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <quarry_places.h>
#include <quarry_test.h>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using testing::Answer;
using testing::StreamServer;

/// The model server: 1,000 tokens in and 10 out.
Answer say_hello(std::size_t, const std::string&) {
  return {.body = "{\"say\":\"Hello.\"}\n{\"tokens\":[1000,10]}\n{\"end\":\"stop\"}\n"};
}

constexpr const char* kCatalogue =
    R"({"fixture":{"models":{"m1":{"cost":{"input":0.25,"output":1.25}}}}})";

/// Serves one catalogue with one ETag.
Answer catalogue(std::size_t, const std::string& request) {
  if (request.find("If-None-Match: \"one\"") != std::string::npos) return {.status = 304};
  return {.body = kCatalogue, .headers = "ETag: \"one\"\r\n"};
}

struct Prices : ::testing::Test {
  Prices() {
    ::setenv("FIXTURE_KEY", test_key().c_str(), 1);
    fs::create_directories(root / "docs");
    std::ofstream(root / "docs/a.md") << "# A\n\nText.\n";
  }

  void configure(const std::string& pricing) {
    std::ofstream(root / "quarry.toml")
        << "[model]\nprovider = \"fixture\"\nname = \"m1\"\n"
        << vendor << "base_url = \"" << model.url()
        << "\"\n[network]\nprivate_hosts = [\"127.0.0.1\"]\n[[resource]]\ntype = \"local\"\n"
        << "name = \"docs\"\npath = \"" << (root / "docs").string() << "\"\n"
        << pricing;
  }
  void start() {
    Options options;
    options.config.working_directory = root;
    options.config.file = root / "quarry.toml";
    options.config.user_directory = root / "user";
    options.config.system_file = root / "none.toml";
    options.plugin_directories = {fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins",
                                  fs::path(QUARRY_BUILD_DIR) / "tests/fixtures"};
    options.cache_directory = root / "cache";
    options.state_directory = root / "state";
    engine.reset();
    auto started = Engine::start(options);
    ASSERT_TRUE(started) << started.error().message;
    engine = std::move(*started);
  }

  /// Asks one question; returns metrics.pricing of its end, null if there is none.
  Json pricing() {
    const auto asked = engine->call_and_wait("question.ask", R"({"question":"What?"})");
    if (!asked) throw std::runtime_error(asked.error().message);
    const std::string id = (*parse_json(*asked))["id"];
    Json done;
    std::mutex mutex;
    std::condition_variable wake;
    bool woken = false;
    const auto reader = engine->open_reader(id, 0, [&] {
      const std::lock_guard lock(mutex);
      woken = true;
      wake.notify_one();
    });
    for (;;) {
      const auto found =
          reader->read(4096, [&](std::uint64_t, std::string_view type, std::string_view json) {
            if (type == "done") done = *parse_json(json);
          });
      if (found == QUARRY_READ_END) break;
      if (found == QUARRY_READ_MORE) continue;
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return woken; });
      woken = false;
    }
    return done["metrics"].value("pricing", Json());
  }
  /// Asks until a question is priced: the catalogue is fetched in the background.
  Json pricing_once_fetched() {
    Json found = pricing();
    while (found.is_null()) found = pricing();
    return found;
  }

  const fs::path root = test_directory();
  StreamServer model{say_hello};
  std::string vendor = "vendor = \"fixture\"\n";
  EnginePointer engine;
};

std::string from(const StreamServer& server) {
  return "[pricing.models-dev]\nurl = \"" + server.url() + "/api.json\"\n";
}

TEST_F(Prices, OfModelsDevAreFetchedOnceAndKeptForTheNextStart) {
  const StreamServer server(catalogue);
  configure(from(server));
  start();
  const Json first = pricing_once_fetched();
  EXPECT_EQ(first["source"], "models.dev") << first;
  EXPECT_EQ(first["modelKey"], "fixture/m1");
  EXPECT_EQ(first["ratesUsdPerMTokens"], Json({{"input", 0.25}, {"output", 1.25}}));
  // 1000 x 0.25 / 1e6 and 10 x 1.25 / 1e6
  EXPECT_EQ(first["costUsd"],
            Json({{"input", 0.00025}, {"output", 0.0000125}, {"total", 0.0002625}}));
  EXPECT_EQ(first["catalogueDate"].get<std::string>().size(), 10u);
  start();
  EXPECT_EQ(pricing(), first) << "the first question of the next start";
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(Prices, AskWithTheETagWhenTheyAreOld) {
  const StreamServer server(catalogue);
  configure(from(server));
  start();
  const Json first = pricing_once_fetched();
  engine.reset();
  for (const auto& entry : fs::recursive_directory_iterator(root / "cache")) {
    if (entry.path().filename() != "table") continue;
    std::string text = *read_file(entry.path());
    const std::size_t at = text.find("\"checked_ms\":") + 13;
    text.replace(at, text.find(',', at) - at, "3600000");
    std::ofstream(entry.path()) << text;
  }
  start();
  Json again = pricing();
  EXPECT_EQ(again["costUsd"], first["costUsd"]) << "old prices serve until there are new ones";
  while (again["catalogueDate"] == "1970-01-01") again = pricing();
  EXPECT_EQ(again, first);
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_NE(server.requests()[1].find("If-None-Match: \"one\""), std::string::npos);
}

TEST_F(Prices, NegotiatedOnesGoFirstUnlessAnotherOrderIsConfigured) {
  const StreamServer server(catalogue);
  const std::string negotiated =
      from(server) + "[pricing.static.\"fixture/m1\"]\ninput = \"1\"\noutput = \"2\"\n";
  configure("[pricing]\norder = [\"models-dev\"]\n" + negotiated);
  start();
  Json found = pricing();
  while (found["source"] != "models.dev") found = pricing();
  configure(negotiated);
  start();
  EXPECT_EQ(pricing()["source"], "static");
}

TEST_F(Prices, AreNotFetchedWhereTheConfigurationForbidsIt) {
  const StreamServer server(catalogue);
  configure(from(server) + "enabled = false\n");
  start();
  EXPECT_TRUE(pricing().is_null());
  configure("[pricing]\nrefresh = false\n" + from(server));
  start();
  EXPECT_TRUE(pricing().is_null());
  engine.reset();
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(Prices, AServerThatHangsDelaysNeitherAQuestionNorTheEnd) {
  const StreamServer server(
      [](std::size_t, const std::string&) -> Answer { return {.body = "{", .hang = true}; });
  configure(from(server));
  const auto begin = std::chrono::steady_clock::now();
  start();
  EXPECT_TRUE(pricing().is_null());
  server.wait_for_a_request();
  engine.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, PriceRefresher::Parts().limit)
      << "the end waited for the limit of the fetch";
}

/// A fixture with a limit in money, and only the prices that a test adds.
struct UnknownPrices : Prices {
  void configure_limited(const std::string& pricing, const std::string& more = {}) {
    configure(pricing);
    std::string text = *read_file(root / "quarry.toml");
    text.insert(text.find("\n[network]"), "\nmax_cost_usd = 1\n" + more);
    std::ofstream(root / "quarry.toml") << text;
    start();
  }
  Error refusal() {
    const auto asked = engine->call_and_wait("question.ask", R"({"question":"What?"})");
    EXPECT_FALSE(asked);
    return asked ? Error() : asked.error();
  }
  const std::string none_ = "[pricing]\nrefresh = false\n";
};

TEST_F(UnknownPrices, RefuseAQuestionWhoseMoneyIsLimitedAndNameTheLineThatIsMissing) {
  configure_limited(none_);
  const Error error = refusal();
  EXPECT_EQ(error.tag, "ConfigError");
  EXPECT_EQ(error.message, "the price of fixture/m1 is unknown, and a limit in money applies");
  EXPECT_TRUE(model.requests().empty());
  std::string line = error.hint.substr(error.hint.find('"'));
  line.resize(line.find('}') + 1);
  for (std::size_t at = 0; (at = line.find("…")) != line.npos;) line.replace(at, 3, "0.5");
  configure_limited(none_ + "[pricing.static]\n" + line + "\n");
  EXPECT_EQ(pricing()["source"], "static") << line;
}

TEST_F(UnknownPrices, AreAllowedByTheOwner) {
  configure_limited(none_, "unpriced = \"allow\"\n");
  EXPECT_TRUE(pricing().is_null());
  EXPECT_EQ(model.requests().size(), 1u);
}

TEST_F(UnknownPrices, AreWaitedForWhileTheyAreFetched) {
  const StreamServer server(catalogue);
  configure_limited(from(server));
  EXPECT_EQ(pricing()["source"], "models.dev") << "the first question";
}

TEST_F(UnknownPrices, OfAProviderBehindAnotherAddressAreThoseThatStandInTheConfiguration) {
  const StreamServer server(catalogue);
  const std::string order = "[pricing]\norder = [\"models-dev\"]\n" + from(server);
  vendor = {};
  configure_limited(order);
  EXPECT_EQ(refusal().tag, "ConfigError") << "a catalogue's price is that of its own vendor";
  configure_limited(order + "[pricing.static.\"fixture/m1\"]\ninput = \"1\"\noutput = \"2\"\n");
  EXPECT_EQ(pricing()["source"], "static");
}

TEST_F(Prices, AnOrderOfUnknownCataloguesIsAMistake) {
  configure("[pricing]\norder = [\"modelsdev\"]\n");
  Options options;
  options.config.working_directory = root;
  options.config.file = root / "quarry.toml";
  options.config.system_file = root / "none.toml";
  options.plugin_directories = {fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins"};
  options.cache_directory = root / "cache";
  options.state_directory = root / "state";
  const auto started = Engine::start(options);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().tag, "ConfigError");
  EXPECT_NE(started.error().message.find("\"modelsdev\""), std::string::npos);
}

}  // namespace
}  // namespace quarry::engine
