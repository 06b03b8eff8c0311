#include "corpus/snapshot/snapshot.h"

#include "corpus/segment/segment_writer.h"
#include "corpus/snapshot/snapshot_state.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Snapshots : public SnapshotFixture {
 protected:
  /// Two segments, in which the second has a newer "b".
  std::filesystem::path two_segments(std::vector<FileRef> files) {
    const auto directory = new_directory();
    auto first = *SegmentWriter::create(segment_directory(directory, 1));
    EXPECT_TRUE(first.add("a", FileKind::kText, 3, "old"));
    EXPECT_TRUE(first.add("b", FileKind::kText, 3, "old"));
    EXPECT_TRUE(std::move(first).finish());
    auto second = *SegmentWriter::create(segment_directory(directory, 7));
    EXPECT_TRUE(second.add("b", FileKind::kText, 5, "newer"));
    EXPECT_TRUE(std::move(second).finish());
    const std::uint32_t numbers[] = {1, 7};
    EXPECT_TRUE(write_snapshot_table(directory, numbers, files, {}));
    return directory;
  }
};

TEST_F(Snapshots, FindFilesByTheirExactPath) {
  const auto tree = snapshot({{"src/a.c", "1"}, {"src/b.c", "2"}, {"README", "3"}});
  ASSERT_TRUE(tree->find("src/b.c"));
  EXPECT_EQ(tree->segment(*tree->find("src/b.c")).text(tree->find("src/b.c")->file), "2");
  EXPECT_FALSE(tree->find("src"));
  EXPECT_FALSE(tree->find("zzz"));
  EXPECT_EQ(tree->text_bytes(), 3u);
}

TEST_F(Snapshots, ListWhatLiesBeneathADirectory) {
  const auto tree =
      snapshot({{"a", "1"}, {"lib-x/c", "2"}, {"lib/a", "3"}, {"lib/b/c", "4"}, {"lib0", "5"}});
  EXPECT_THAT(paths_of(*tree, tree->beneath("lib")), ElementsAre("lib/a", "lib/b/c"));
  EXPECT_THAT(paths_of(*tree, tree->beneath("lib/b")), ElementsAre("lib/b/c"));
  EXPECT_EQ(tree->beneath("").size(), 5u);
  EXPECT_TRUE(tree->beneath("a").empty()) << "a file has nothing beneath it";
  EXPECT_TRUE(tree->beneath("li").empty());
}

TEST_F(Snapshots, ShowOnlyTheLiveFilesOfTheirSegments) {
  const auto tree = *Snapshot::open(two_segments({{0, 0}, {1, 0}}));
  EXPECT_THAT(paths_of(*tree, tree->files()), ElementsAre("a", "b"));
  EXPECT_EQ(tree->find("b")->segment, 1u);
  EXPECT_FALSE(tree->is_live({0, 1})) << "the old b is dead";
  EXPECT_TRUE(tree->is_live({0, 0}));
  EXPECT_EQ(tree->text_bytes(), 8u);
}

TEST_F(Snapshots, OutliveTheirDirectory) {
  const auto tree = snapshot({{"a", "still here"}});
  std::filesystem::remove_all(tree->directory());
  EXPECT_EQ(tree->segment(tree->files()[0]).text(0), "still here");
}

TEST_F(Snapshots, ThatContradictTheirSegmentsAreRefused) {
  const auto message = [&](std::vector<FileRef> files) {
    const auto tree = Snapshot::open(two_segments(std::move(files)));
    return tree ? std::string("opened") : tree.error().message;
  };
  EXPECT_THAT(message({{0, 0}, {2, 0}}), HasSubstr("a file that does not exist"));
  EXPECT_THAT(message({{0, 0}, {1, 1}}), HasSubstr("a file that does not exist"));
  EXPECT_THAT(message({{1, 0}, {0, 0}}), HasSubstr("out of order"));
  EXPECT_THAT(message({{0, 1}, {1, 0}}), HasSubstr("out of order")) << "a duplicate path";
}

TEST_F(Snapshots, NeverReadOutOfBoundsWhateverTheirTableSays) {
  const auto directory = two_segments({{0, 0}, {1, 0}});
  const std::string good = *read_file(directory / "snapshot");
  int refused = 0;
  for (std::size_t at = 24; at < good.size(); ++at) {
    for (const char flip : {'\x01', '\x02', '\x80', '\xFF'}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      seal_table(bad);
      write(directory / "snapshot", bad);
      const auto tree = Snapshot::open(directory);
      if (tree) {
        EXPECT_LE(paths_of(**tree, (*tree)->files()).size(), 2u);
      } else {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100) << "most damage is noticed";
}

TEST_F(Snapshots, AreRefusedWhenAPartIsMissing) {
  const auto directory = two_segments({{0, 0}, {1, 0}});
  std::filesystem::remove_all(segment_directory(directory, 7));
  EXPECT_EQ(Snapshot::open(directory).error().code, Code::kNotFound);
  EXPECT_EQ(Snapshot::open(new_directory()).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace quarry::corpus
