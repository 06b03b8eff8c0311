#include "engine/testing/engine_fixture.h"

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using testing::Answer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StreamServer;

/// An engine with a model that reads a file and then cites it, over a cache that is damaged.
struct DamageTest : testing::EngineTest {
  StreamServer::Script reads_and_cites() {
    return [this](std::size_t number, const std::string&) -> Answer {
      if (number % 2 == 1) {
        return {.body = "{\"say\":\"One at a time [docs:parser.md#L3].\"}\n{\"end\":\"stop\"}\n"};
      }
      if (before_reading) before_reading();
      return {.body =
                  "{\"call\":0,\"name\":\"read\",\"arguments\":"
                  "\"{\\\"path\\\":\\\"docs/parser.md\\\"}\"}\n{\"end\":\"tools\"}\n"};
    };
  }
  /// Every text in the cache, which the engine has open.
  void damage_texts() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root / "cache")) {
      if (entry.path().filename() != "text") continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file << std::string(fs::file_size(entry.path()), 'X');
      ++count;
    }
    EXPECT_GT(count, 0u);
  }

  std::function<void()> before_reading;
};

TEST_F(DamageTest, ThatAToolMeetsIsRepairedAndReadAgain) {
  const StreamServer server(reads_and_cites());
  use_fixture(server.url());
  start();
  EXPECT_EQ(ask({{"question", "How?"}}).back().json["citations"][0]["verified"], true);
  damage_texts();
  const Json done = ask({{"question", "And now?"}}).back().json;
  ASSERT_EQ(done["type"], "done") << done;
  EXPECT_EQ(done["tools"][0]["state"]["status"], "completed") << done;
  EXPECT_THAT(done["tools"][0]["state"].value("output", ""),
              HasSubstr("reads tokens one at a time"));
  EXPECT_EQ(done["citations"][0]["verified"], true) << done;
  EXPECT_THAT(done["text"].get<std::string>(), Not(HasSubstr("damaged")));
}

TEST_F(DamageTest, ThatCannotBeRepairedIsToldInTheAnswer) {
  const StreamServer server(reads_and_cites());
  use_fixture(server.url());
  start();
  ask({{"question", "How?"}});
  damage_texts();
  before_reading = [this] { fs::remove_all(root / "docs"); };
  const Json done = ask({{"question", "And now?"}}).back().json;
  ASSERT_EQ(done["type"], "done") << done;
  EXPECT_EQ(done["citations"][0]["verified"], false) << done;
  EXPECT_THAT(done["text"].get<std::string>(),
              HasSubstr("\n\nNote: not every file could be read, since the copy in the cache is "
                        "damaged: docs/parser.md"));
}

}  // namespace
}  // namespace quarry::engine
