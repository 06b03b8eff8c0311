#include "base/file.h"
#include "base/testing/test_executors.h"
#include "corpus/index/trigram_index.h"
#include "corpus/index/word_index.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

class SnapshotIndexes : public SnapshotFixture {
 protected:
  std::shared_ptr<const Snapshot> large(std::shared_ptr<const Snapshot> previous = nullptr) {
    std::string text;
    while (text.size() < TrigramIndex::kMinimumText / 4) text += "a line of some words\n";
    return snapshot({{"a", text}, {"b", text}, {"c", text}, {"d", text + "needle\n"}, {"e", text}},
                    std::move(previous));
  }
  static std::size_t names_in(const fs::path& directory) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
  }
  ThreadPerJob executor_;
};

TEST_F(SnapshotIndexes, AreThereOnceTheyAreBuilt) {
  const auto tree = large();
  EXPECT_FALSE(tree->trigrams(0));
  EXPECT_FALSE(tree->words(0));
  const Status built = build_indexes(*tree, executor_, {});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_TRUE(tree->words(0));
  ASSERT_TRUE(tree->trigrams(0));
  EXPECT_THAT(tree->trigrams(0)->candidates("needle"), ::testing::ElementsAre(3u));
  EXPECT_EQ(names_in(tree->segments()[0]->directory()), 4u) << "text, tables and two indexes";
}

/// Runs jobs on the thread that submits them, and counts them.
class CountedJobs final : public Executor {
 public:
  void submit(std::function<void()> job) override {
    ++count;
    job();
  }
  [[nodiscard]] std::size_t concurrency() const override { return 4; }
  std::atomic<std::size_t> count = 0;
};

TEST_F(SnapshotIndexes, OfWordsAreBuiltOnceForSearchesAtATime) {
  CountedJobs one;
  ASSERT_TRUE(large()->built_words(0, one, {}));
  ASSERT_GT(one.count, 0u);

  const auto tree = large();
  CountedJobs several;
  {
    std::vector<std::jthread> searches;
    for (int i = 0; i < 4; ++i) {
      searches.emplace_back([&] { EXPECT_TRUE(tree->built_words(0, several, {})); });
    }
  }
  EXPECT_EQ(several.count, one.count);
  EXPECT_FALSE(tree->trigrams(0));
}

TEST_F(SnapshotIndexes, OfWordsAreNotBuiltForASearchOfASmallSegment) {
  EXPECT_FALSE(snapshot({{"a", "small"}})->built_words(0, executor_, {}));
}

TEST_F(SnapshotIndexes, OfWordsThatCannotBeBuiltAreNotTriedBySearchesAgain) {
  const auto tree = large();
  const fs::path segment = tree->segments()[0]->directory();
  fs::rename(segment, segment.string() + ".away");
  EXPECT_FALSE(tree->built_words(0, executor_, {}));
  fs::rename(segment.string() + ".away", segment);
  EXPECT_FALSE(tree->built_words(0, executor_, {}));
  ASSERT_TRUE(build_indexes(*tree, executor_, {}));
  EXPECT_TRUE(tree->built_words(0, executor_, {}));
}

TEST_F(SnapshotIndexes, OfWordsAreNotBuiltForASearchThatIsStopped) {
  const auto tree = large();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(tree->built_words(0, executor_, stop.get_token()));
  EXPECT_TRUE(tree->built_words(0, executor_, {})) << "that was no failure";
}

TEST_F(SnapshotIndexes, AreNotBuiltTwice) {
  const auto tree = large();
  ASSERT_TRUE(build_indexes(*tree, executor_, {}));
  const fs::path words = tree->segments()[0]->directory() / WordIndex::kFileName;
  const auto built = fs::last_write_time(words);
  ASSERT_TRUE(build_indexes(**Snapshot::open(tree->directory()), executor_, {}));
  EXPECT_EQ(fs::last_write_time(words), built);
}

TEST_F(SnapshotIndexes, LeaveNothingOfAProcessThatWasKilledWhileItBuiltThem) {
  const auto tree = large();
  const fs::path segment = tree->segments()[0]->directory();
  write(segment / ".building-killed/part", "half an index");
  ASSERT_TRUE(build_indexes(*tree, executor_, {}));
  EXPECT_EQ(names_in(segment), 4u);
}

TEST_F(SnapshotIndexes, OfSmallSegmentsHaveNoTrigrams) {
  const auto tree = snapshot({{"a", "small"}});
  ASSERT_TRUE(build_indexes(*tree, executor_, {}));
  EXPECT_FALSE(tree->trigrams(0));
}

TEST_F(SnapshotIndexes, ThatAreDamagedAreBuiltAgain) {
  const auto tree = large();
  const fs::path segment = tree->segments()[0]->directory();
  write(segment / TrigramIndex::kFileName, "nonsense");
  write(segment / WordIndex::kFileName, "");
  EXPECT_FALSE(tree->trigrams(0));
  ASSERT_TRUE(build_indexes(*tree, executor_, {}));
  EXPECT_TRUE(tree->trigrams(0));
  EXPECT_TRUE(tree->words(0));
}

TEST_F(SnapshotIndexes, OfAnotherFormatAreBuiltAgain) {
  const auto tree = large();
  ASSERT_TRUE(build_indexes(*tree, executor_, {}));
  const fs::path words = tree->segments()[0]->directory() / WordIndex::kFileName;
  const std::string whole = *read_file(words);
  std::string older = whole;
  older[7] = '1';
  write(words, older);
  const auto reopened = *Snapshot::open(tree->directory());
  EXPECT_FALSE(reopened->words(0));
  ASSERT_TRUE(build_indexes(*reopened, executor_, {}));
  EXPECT_TRUE(reopened->words(0));
  EXPECT_TRUE(*read_file(words) == whole);
}

TEST_F(SnapshotIndexes, LeaveNothingBehindWhenTheyAreCancelled) {
  const auto tree = large();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(build_indexes(*tree, executor_, stop.get_token()).error().code, Code::kCancelled);
  EXPECT_EQ(names_in(tree->segments()[0]->directory()), 2u);
}

TEST_F(SnapshotIndexes, AreSharedBySnapshotsWithTheSameSegment) {
  const auto first = large();
  const auto later = large(first);
  const auto other = large();
  ASSERT_TRUE(build_indexes(*first, executor_, {}));
  share_indexes(*first, *later);
  share_indexes(*first, *other);
  EXPECT_TRUE(later->words(0));
  EXPECT_TRUE(later->trigrams(0));
  EXPECT_FALSE(other->words(0)) << "its text is equal, but may differ by its number alone";
}

TEST_F(SnapshotIndexes, AreOneObjectForSnapshotsThatShareASegment) {
  const auto built = large();
  ASSERT_TRUE(build_indexes(*built, executor_, {}));
  const auto open_files = new_open_files();
  const auto first = *Snapshot::open(built->directory(), nullptr, open_files);
  ASSERT_TRUE(first->words(0) && first->trigrams(0));
  const auto later = large(first);
  EXPECT_EQ(later->words(0), first->words(0));
  EXPECT_EQ(later->trigrams(0), first->trigrams(0));
  EXPECT_EQ(later->segments()[0]->packed_text().data(), first->segments()[0]->packed_text().data());
  EXPECT_NE(later->segments()[0]->directory(), first->segments()[0]->directory());
  const auto apart = *Snapshot::open(later->directory());
  EXPECT_NE(apart->words(0), first->words(0));
  EXPECT_NE(apart->segments()[0]->packed_text().data(), first->segments()[0]->packed_text().data());
}

TEST_F(SnapshotIndexes, OfSnapshotsThatShareASegmentReportTheirOwnDamage) {
  const auto built = large();
  const auto open_files = new_open_files();
  const auto first = *Snapshot::open(built->directory(), nullptr, open_files);
  const auto packed = large(first);
  std::vector<Damage> reports;
  const auto later = *Snapshot::open(
      packed->directory(), [&](Damage damage) { reports.push_back(damage); }, open_files);
  // The pages are those of one file.
  std::ofstream(built->segments()[0]->directory() / "text", std::ios::in | std::ios::out) << "X";
  EXPECT_FALSE(first->segments()[0]->recheck(0, 1, 1));
  EXPECT_TRUE(reports.empty());
  EXPECT_FALSE(later->segments()[0]->recheck(0, 1, 1));
  EXPECT_FALSE(later->segments()[0]->recheck(0, 1, 1));
  EXPECT_THAT(reports, ::testing::ElementsAre(Damage::kText)) << "once";
}

TEST_F(SnapshotIndexes, SayWhenTheSnapshotIsGone) {
  const auto tree = large();
  fs::remove_all(tree->directory());
  EXPECT_EQ(build_indexes(*tree, executor_, {}).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace quarry::corpus
