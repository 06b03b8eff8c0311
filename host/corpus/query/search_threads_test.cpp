#include "base/testing/test_executors.h"
#include "corpus/index/word_index.h"
#include "corpus/query/question.h"
#include "corpus/query/ranking.h"
#include "corpus/query/search.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/snapshot/snapshot_state.h"

#include <random>
#include <tuple>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

class SearchOnThreads : public CollectionFixture {
 protected:
  InlineExecutor executor_;
};

/// A snapshot of files with words of a small vocabulary, so that most have a score.
std::shared_ptr<const Snapshot> snapshot_of_words(const std::filesystem::path& directory,
                                                  std::size_t count, std::mt19937& random) {
  auto writer = *SnapshotWriter::create(directory, {}, {}, nullptr);
  for (std::size_t file = 0; file < count; ++file) {
    std::string text;
    for (int line = 0; line < 30; ++line) {
      text +=
          "word" + std::to_string(random() % 40) + " word" + std::to_string(random() % 9) + "\n";
    }
    EXPECT_TRUE(writer->add("file" + std::to_string(file) + ".txt", text));
  }
  return *writer->finish();
}

TEST_F(SearchOnThreads, FindsTheSameWithAnyNumberOfThreads) {
  std::mt19937 random(3);
  std::vector<Source> sources;
  for (int i = 0; i < 12; ++i) {
    sources.push_back({"source" + std::to_string(i),
                       snapshot_of_words(new_directory(), 5 + random() % 20, random)});
  }
  const Collection all(std::move(sources));
  for (const Source& source : all.sources()) {
    ASSERT_TRUE(build_indexes(*source.snapshot, executor_, {}));
  }
  const auto places = [](const std::vector<Passage>& passages) {
    std::vector<std::tuple<std::string, std::uint32_t, double>> out;
    for (const Passage& one : passages) out.emplace_back(one.path, one.start_line, one.score);
    return out;
  };
  for (const char* words : {"word1 word20", "word3", "word8 word9 word10 word33"}) {
    const auto expected = places(*search(all, {words, "", 40}, executor_, {}));
    ASSERT_EQ(expected.size(), 40u);
    for (std::size_t count = 1; count < 5; ++count) {
      Threads threads(count);
      const auto found = search(all, {words, "", 40}, threads, {});
      EXPECT_EQ(places(*found), expected) << words << ", " << count << " threads";
    }
  }
}

/// Files that cannot be among the best are left out, which must not change the best.
TEST_F(SearchOnThreads, LeavesOutNoFileThatIsAmongTheBest) {
  std::mt19937 random(5);
  std::vector<std::shared_ptr<const Snapshot>> snapshots;
  std::vector<std::shared_ptr<const WordIndex>> indexes;
  std::vector<Shard> shards;
  for (int i = 0; i < 4; ++i) {
    const auto& one =
        snapshots.emplace_back(snapshot_of_words(new_directory(), 600 + random() % 300, random));
    ASSERT_TRUE(build_indexes(*one, executor_, {}));
    const auto& words = indexes.emplace_back(one->words(0));
    shards.push_back(
        {&words->table(), [](FileId) { return true; },
         [&segment = *one->segments()[0]](FileId file) { return segment.path(file); }});
  }
  const auto places = [](const std::vector<RankedPassage>& ranked) {
    std::vector<std::pair<std::uint32_t, PassageId>> out;
    for (const RankedPassage& one : ranked) out.emplace_back(one.shard, one.passage);
    return out;
  };
  const RankingWeights weights;
  for (const char* words :
       {"word1", "word20 word3", "word30 word31 word32 word8", "file17 word2"}) {
    const Question question = parse_question(words, {});
    auto all = rank(shards, question, weights, 10'000, executor_, {});
    ASSERT_GT(all.size(), 500u);
    all.resize(20);
    for (std::size_t count = 1; count < 4; ++count) {
      Threads threads(count);
      EXPECT_EQ(places(rank(shards, question, weights, 20, threads, {})), places(all)) << words;
    }
  }
}

}  // namespace
}  // namespace quarry::corpus
