#include "corpus/index/word_build.h"

#include "base/testing/test_executors.h"
#include "corpus/index/word_table.h"
#include "corpus/segment/testing/directory_fixture.h"

#include <deque>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

class WordBuild : public ::testing::Test {
 protected:
  void SetUp() override {
    std::mt19937 random(3);
    for (int file = 0; file < 120; ++file) {
      std::string text;
      for (int line = 0; line < 1500; ++line) {
        text += "def name" + std::to_string(random() % 900) + "(value_" +
                std::to_string(random() % 7) + "):\n";
      }
      texts_.push_back(std::move(text));
      paths_.push_back("src/file" + std::to_string(file) + ".py");
    }
    for (std::size_t i = 0; i < texts_.size(); ++i) documents_.push_back({paths_[i], texts_[i]});
  }

  std::deque<std::string> texts_;
  std::deque<std::string> paths_;
  std::vector<Document> documents_;
};

TEST_F(WordBuild, GivesTheSameBytesWhateverTheThreads) {
  InlineExecutor one;
  ThreadPerJob many;
  const auto alone = build_word_table(documents_, nullptr, one, {});
  const auto together = build_word_table(documents_, nullptr, many, {});
  ASSERT_TRUE(alone && together);
  EXPECT_TRUE(*alone == *together);
  EXPECT_TRUE(WordTable::open(*together));
}

TEST_F(WordBuild, StopsWhenCancelledFromAnotherThread) {
  ThreadPerJob many;
  std::stop_source stop;
  std::jthread canceller([&] { stop.request_stop(); });
  canceller.join();
  const auto built = build_word_table(documents_, nullptr, many, stop.get_token());
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace quarry::corpus
