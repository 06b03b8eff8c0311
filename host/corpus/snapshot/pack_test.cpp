#include "corpus/snapshot/pack.h"

#include "base/testing/test_executors.h"
#include "corpus/segment/segment_format.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Packs : public SnapshotFixture {
 protected:
  using Tree = std::shared_ptr<const Snapshot>;

  void SetUp() override {
    SnapshotFixture::SetUp();
    tree_ = root_ / "tree";
    fs::create_directory(tree_);
  }

  Result<Tree> try_pack(const Tree& previous = nullptr, const PackLimits& limits = {}) {
    const auto state = TreeState::scan(tree_, limits, {}, executor_, {});
    if (!state) return state.error();
    return pack_directory(tree_, *state, previous.get(), new_directory(), limits, executor_, {},
                          {});
  }
  Tree pack(const Tree& previous = nullptr, const PackLimits& limits = {}) {
    auto packed = try_pack(previous, limits);
    EXPECT_TRUE(packed) << packed.error().message;
    return *packed;
  }

  void write_many(int count) {
    for (int i = 0; i < count; ++i) {
      write(tree_ / ("d" + std::to_string(i % 7)) / ("f" + std::to_string(i)),
            "text of " + std::to_string(i) + "\n");
    }
  }
  /// Files of `now` in segments that `before` does not have, which are those that were written.
  static std::vector<std::string> written(const Snapshot& before, const Snapshot& now) {
    std::vector<std::string> out;
    for (const FileRef file : now.files()) {
      const fs::path name = now.segment(file).directory().filename();
      const bool linked = std::ranges::any_of(before.segments(), [&](const auto& segment) {
        return segment->directory().filename() == name;
      });
      if (!linked) out.emplace_back(now.path(file));
    }
    return out;
  }
  void expect_same_as_disk(const Snapshot& snapshot) {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(tree_)) {
      if (!entry.is_regular_file()) continue;
      ++files;
      EXPECT_EQ(text_at(snapshot, fs::relative(entry, tree_).string()), *read_file(entry));
    }
    EXPECT_EQ(snapshot.files().size(), files);
  }

  fs::path tree_;
  ThreadPerJob executor_;
};

TEST_F(Packs, HoldEveryFileOfTheFolder) {
  write_many(2000);
  write(tree_ / "empty", "");
  const Tree packed = pack();
  expect_same_as_disk(*packed);
  EXPECT_EQ(packed->segments().size(), 1u);
}

TEST_F(Packs, OfAnEmptyFolderAreEmpty) {
  const Tree packed = pack();
  EXPECT_TRUE(packed->files().empty());
  write(tree_ / "a", "x");
  EXPECT_EQ(text_at(*pack(packed), "a"), "x");
}

TEST_F(Packs, ReadNothingWhenNothingChanged) {
  write_many(100);
  const Tree first = pack();
  const Tree second = pack(first);
  EXPECT_THAT(written(*first, *second), ElementsAre());
  struct stat one {
  }, two{};
  ::stat((first->segments()[0]->directory() / "text").c_str(), &one);
  ::stat((second->segments()[0]->directory() / "text").c_str(), &two);
  EXPECT_EQ(one.st_ino, two.st_ino) << "the text is one file on disk";
  fs::remove_all(first->directory());
  expect_same_as_disk(**Snapshot::open(second->directory()));
}

TEST_F(Packs, ReadOnlyTheFileThatChanged) {
  write_many(100);
  const Tree first = pack();
  write(tree_ / "d3/f3", "changed");
  const Tree second = pack(first);
  EXPECT_THAT(written(*first, *second), ElementsAre("d3/f3"));
  expect_same_as_disk(*second);
  EXPECT_EQ(text_at(*first, "d3/f3"), "text of 3\n") << "the old snapshot stays as it was";
}

TEST_F(Packs, FollowRemovalsRenamesAndModes) {
  write_many(50);
  const Tree first = pack();
  fs::remove(tree_ / "d1/f1");
  fs::rename(tree_ / "d2/f2", tree_ / "d2/renamed");
  ::chmod((tree_ / "d4/f4").c_str(), 0700);
  const Tree second = pack(first);
  EXPECT_THAT(written(*first, *second), ElementsAre("d2/renamed", "d4/f4"));
  EXPECT_FALSE(second->find("d1/f1"));
  EXPECT_FALSE(second->find("d2/f2"));
  expect_same_as_disk(*second);
}

TEST_F(Packs, SeeAnotherFileOfTheSameSizeAndTime) {
  write_many(10);
  const Tree first = pack();
  write(tree_ / "twin", "text of 9\n");
  write(tree_ / "twin", "TEXT OF 9\n");
  fs::last_write_time(tree_ / "twin", fs::last_write_time(tree_ / "d2/f9"));
  fs::rename(tree_ / "twin", tree_ / "d2/f9");
  EXPECT_EQ(text_at(*pack(first), "d2/f9"), "TEXT OF 9\n");
}

TEST_F(Packs, FoldTheSmallSegmentsOfManyEdits) {
  write_many(200);
  Tree latest = pack();
  const fs::path large = latest->segments()[0]->directory().filename();
  for (int edit = 0; edit < 30; ++edit) {
    write(tree_ / ("edit" + std::to_string(edit)), "edit");
    latest = pack(latest);
    EXPECT_LE(latest->segments().size(), 8u);
    EXPECT_EQ(latest->segments()[0]->directory().filename(), large);
  }
  expect_same_as_disk(*latest);
}

TEST_F(Packs, StartAfreshWhenTooMuchIsDead) {
  write(tree_ / "large", std::string(1000, 'x'));
  write(tree_ / "small", std::string(600, 'y'));
  const Tree first = pack();
  fs::remove(tree_ / "large");
  const Tree second = pack(first);
  ASSERT_EQ(second->segments().size(), 1u);
  EXPECT_EQ(second->segments()[0]->packed_text().size(), 601u) << "the dead text is gone";
  expect_same_as_disk(*second);
}

TEST_F(Packs, DivideLargeTreesIntoSegments) {
  write_many(200);  // 10 to 12 bytes each
  const PackLimits limits{.segment_bytes = 100};
  const Tree first = pack(nullptr, limits);
  expect_same_as_disk(*first);
  ASSERT_GT(first->segments().size(), 20u);
  for (const auto& segment : first->segments()) {
    EXPECT_LT(segment->packed_text().size() - segment->file_count(), 112u);
  }
  write(tree_ / "d3/f3", "changed");
  const Tree second = pack(first, limits);
  EXPECT_THAT(written(*first, *second), ElementsAre("d3/f3"));
  EXPECT_EQ(second->segments().size(), first->segments().size() + 1) << "however many there are";
  expect_same_as_disk(*second);
}

TEST_F(Packs, RewriteOnlySegmentsThatAreMostlyDead) {
  write_many(200);
  const PackLimits limits{.segment_bytes = 100};
  const Tree first = pack(nullptr, limits);
  const auto in_second = [&](FileRef file) { return file.segment == 1; };
  std::vector<std::string> others;
  for (const FileRef file : first->files()) {
    if (in_second(file)) others.emplace_back(first->path(file));
  }
  const std::vector<std::string> removed{others.begin(), others.begin() + 4};
  others.erase(others.begin(), others.begin() + 4);
  for (const std::string& path : removed) fs::remove(tree_ / path);
  const Tree second = pack(first, limits);
  EXPECT_EQ(written(*first, *second), others) << "about 40 % of their segment was dead";
  expect_same_as_disk(*second);
}

TEST_F(Packs, FoldTheSmallSegmentsBesideManyLargeOnes) {
  write_many(200);
  const PackLimits limits{.segment_bytes = 100};
  Tree latest = pack(nullptr, limits);
  const std::size_t large = latest->segments().size();
  for (int edit = 0; edit < 30; ++edit) {
    write(tree_ / ("edit" + std::to_string(edit)), "x");
    latest = pack(latest, limits);
    EXPECT_LE(latest->segments().size(), large + 8);
  }
  expect_same_as_disk(*latest);
}

TEST_F(Packs, CopyFromMemoryWhenThePreviousDirectoryIsGone) {
  write_many(20);
  const Tree first = pack();
  fs::remove_all(first->directory());
  write(tree_ / "new", "new");
  const Tree second = pack(first);
  EXPECT_EQ(second->segments().size(), 1u);
  expect_same_as_disk(*second);
}

// The copy would have had sound digests of its own.
TEST_F(Packs, CopyNoTextThatWasDamagedSinceItWasRead) {
  write_many(20);
  const Tree first = pack();
  ASSERT_TRUE(first->segments()[0]->check_all());
  const fs::path text = first->segments()[0]->directory() / kTextFile;
  write(text, std::string(fs::file_size(text), 'X'));
  fs::remove_all(first->directory());
  expect_same_as_disk(*pack(first));
}

TEST_F(Packs, ListWhatIsNotText) {
  write(tree_ / "binary", std::string_view("\0\0", 2));
  fs::create_symlink("/etc/passwd", tree_ / "link");
  const Tree packed = pack();
  const auto kind = [&](const char* path) {
    const FileRef file = *packed->find(path);
    return packed->segment(file).kind(file.file);
  };
  EXPECT_EQ(kind("binary"), FileKind::kBinary);
  EXPECT_EQ(kind("link"), FileKind::kLink);
  EXPECT_EQ(text_at(*packed, "link"), "");
}

TEST_F(Packs, LeaveOutPrivateKeysAlsoWhenNothingChanged) {
  const std::string key = "-----BEGIN PRIVATE KEY-----\n" + std::string(64, 'A') + "\n";
  write(tree_ / "notes.md", "# Notes\n" + key);
  write(tree_ / "a", "x");
  const auto is_left_out = [](const Tree& packed) {
    const FileRef notes = *packed->find("notes.md");
    return packed->segment(notes).kind(notes.file) == FileKind::kSecret &&
           packed->segment(notes).text(notes.file).empty();
  };
  const Tree first = pack();
  EXPECT_TRUE(is_left_out(first));
  write(tree_ / "a", "y");
  const Tree second = pack(first);
  EXPECT_TRUE(is_left_out(second));
  write(tree_ / "notes.md", "# Notes\n");
  const Tree third = pack(second);
  EXPECT_FALSE(is_left_out(third)) << "the key is gone";
  EXPECT_EQ(text_at(*third, "notes.md"), "# Notes\n");
}

TEST_F(Packs, TryAgainWhatCouldNotBeRead) {
  write(tree_ / "a", "x");
  const auto state = TreeState::scan(tree_, {}, {}, executor_, {});
  fs::rename(tree_ / "a", tree_ / "b");
  fs::create_symlink("/etc/passwd", tree_ / "a");
  const Tree first =
      *pack_directory(tree_, *state, nullptr, new_directory(), {}, executor_, {}, {});
  const FileRef file = *first->find("a");
  EXPECT_EQ(first->segment(file).kind(file.file), FileKind::kUnreadable)
      << "a link that took a file's place is not followed";
  fs::rename(tree_ / "b", tree_ / "a");
  EXPECT_EQ(text_at(*pack(first), "a"), "x");
}

TEST_F(Packs, StopAtTheLimits) {
  write_many(100);
  EXPECT_THAT(try_pack(nullptr, {.total_bytes = 50}).error().message, HasSubstr("50 bytes"));
  const Tree first = pack();
  EXPECT_EQ(try_pack(first, {.total_bytes = 50}).error().code, Code::kResourceExhausted)
      << "text that was taken over counts too";
}

TEST_F(Packs, CanBeCancelled) {
  write_many(10);
  const auto state = TreeState::scan(tree_, {}, {}, executor_, {});
  std::stop_source stop;
  stop.request_stop();
  const auto packed =
      pack_directory(tree_, *state, nullptr, new_directory(), {}, executor_, stop.get_token(), {});
  EXPECT_EQ(packed.error().code, Code::kCancelled);
}

TEST_F(Packs, TellHowFarTheyAre) {
  write_many(1000);
  const auto state = TreeState::scan(tree_, {}, {}, executor_, {});
  PackProgress last;
  const auto packed = pack_directory(tree_, *state, nullptr, new_directory(), {}, executor_, {},
                                     [&](const PackProgress& progress) { last = progress; });
  EXPECT_EQ(last.files, 1000u);
  EXPECT_EQ(last.bytes, (*packed)->text_bytes());
}

}  // namespace
}  // namespace quarry::corpus
