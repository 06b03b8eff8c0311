#include "base/file.h"
#include "base/testing/test_executors.h"
#include "corpus/index/symbol_index.h"
#include "corpus/index/testing/fake_analyser.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <atomic>
#include <latch>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class SnapshotSymbols : public SnapshotFixture {
 protected:
  Status build(const Snapshot& snapshot, std::stop_token stop = {}) {
    Status status;
    for (std::uint32_t i = 0; status && i < snapshot.segments().size(); ++i) {
      status = build_symbols(snapshot, i, analyser_, executor_, stop);
    }
    return status;
  }
  static fs::path file_of(const Snapshot& snapshot, std::uint32_t segment = 0) {
    return snapshot.segments()[segment]->directory() / SymbolIndex::kFileName;
  }
  /// The symbols of every live file, by path.
  static std::map<std::string, FileSymbols> symbols_in(const Snapshot& snapshot) {
    std::map<std::string, FileSymbols> out;
    for (const FileRef file : snapshot.files()) {
      const auto index = snapshot.symbols(file.segment);
      EXPECT_TRUE(index);
      if (index) out.emplace(snapshot.path(file), *index->symbols_of(file.file));
    }
    return out;
  }
  static void expect_equal(const std::map<std::string, FileSymbols>& left,
                           const std::map<std::string, FileSymbols>& right) {
    ASSERT_EQ(left.size(), right.size());
    for (const auto& [path, symbols] : left) {
      const FileSymbols& other = right.at(path);
      EXPECT_EQ(symbols.state, other.state) << path;
      EXPECT_EQ(symbols.reader, other.reader) << path;
      EXPECT_EQ(symbols.definitions, other.definitions) << path;
    }
  }
  /// Names of the files in the directory of the first segment.
  static std::size_t names_in(const Snapshot& snapshot) {
    const auto& directory = snapshot.segments()[0]->directory();
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
  }

  FakeAnalyser analyser_;
  ThreadPerJob executor_;
};

TEST_F(SnapshotSymbols, AreThereOnceTheyAreBuilt) {
  const auto tree = snapshot({{"a.fake", "class A 0\n"}, {"b.txt", "text\n"}});
  EXPECT_FALSE(tree->symbols(0));
  const Status built = build(*tree);
  ASSERT_TRUE(built) << built.error().message;
  ASSERT_TRUE(tree->symbols(0));
  EXPECT_EQ(tree->symbols(0)->definition_count(), 1u);
  EXPECT_EQ(names_in(*tree), 3u) << "text, tables and the index";
}

TEST_F(SnapshotSymbols, AreNotBuiltTwice) {
  const auto tree = snapshot({{"a.fake", "class A 0\n"}});
  ASSERT_TRUE(build(*tree));
  const auto built = fs::last_write_time(file_of(*tree));
  ASSERT_TRUE(build(**Snapshot::open(tree->directory())));
  EXPECT_EQ(fs::last_write_time(file_of(*tree)), built);
  EXPECT_EQ(analyser_.take_read().size(), 1u);
}

TEST_F(SnapshotSymbols, AreReadAgainWhereTheReaderChanged) {
  const auto tree = snapshot({{"a.fake", "class A 0\n"}, {"b.fake", "class B 0\n"}});
  ASSERT_TRUE(build(*tree));
  ASSERT_TRUE(tree->symbols(0));
  analyser_.take_read();
  analyser_.set_results("2", "b");
  ASSERT_TRUE(build(*tree));
  EXPECT_THAT(analyser_.take_read(), ElementsAre("b.fake"));
  EXPECT_EQ(tree->symbols(0)->reader(1), "fake@2") << "also in a snapshot that was open";
}

TEST_F(SnapshotSymbols, ThatAreDamagedAreBuiltAgain) {
  const auto tree = snapshot({{"a.fake", "class A 0\n"}});
  ASSERT_TRUE(build(*tree));
  const std::string good = *read_file(file_of(*tree));
  for (const std::string& bad : {std::string(), good.substr(0, good.size() / 2), good + good}) {
    write(file_of(*tree), bad);
    const auto reopened = *Snapshot::open(tree->directory());
    EXPECT_FALSE(reopened->symbols(0));
    ASSERT_TRUE(build(*reopened));
    EXPECT_TRUE(*read_file(file_of(*tree)) == good);
  }
}

TEST_F(SnapshotSymbols, ThatAreDamagedWhileTheyAreOpenAreRemovedAndReported) {
  const auto packed = snapshot({{"a.fake", "class A 0\n"}});
  ASSERT_TRUE(build(*packed));
  std::vector<Damage> reports;
  const auto tree =
      *Snapshot::open(packed->directory(), [&](Damage damage) { reports.push_back(damage); });
  const auto index = tree->symbols(0);
  ASSERT_TRUE(index);
  fs::resize_file(file_of(*tree), 8);
  EXPECT_FALSE(index->record(0));
  EXPECT_FALSE(tree->symbols(0));
  EXPECT_THAT(reports, ElementsAre(Damage::kIndex));
  EXPECT_FALSE(fs::exists(file_of(*tree)));
  ASSERT_TRUE(build(*tree));
  EXPECT_TRUE(tree->symbols(0)->record(0));
}

TEST_F(SnapshotSymbols, LeaveNothingBehindWhenTheyAreCancelled) {
  const auto tree = snapshot({{"a.fake", "class A 0\n"}});
  std::stop_source stop;
  analyser_.on_read = [&](std::string_view, const std::stop_token&) { stop.request_stop(); };
  EXPECT_EQ(build(*tree, stop.get_token()).error().code, Code::kCancelled);
  EXPECT_EQ(names_in(*tree), 2u);
}

TEST_F(SnapshotSymbols, AreSharedBySnapshotsWithTheSameSegment) {
  const auto first = snapshot({{"a.fake", "class A 0\n"}});
  const auto later = snapshot({{"a.fake", "class A 0\n"}}, first);
  ASSERT_TRUE(build(*first));
  share_indexes(*first, *later);
  EXPECT_TRUE(later->symbols(0));
}

TEST_F(SnapshotSymbols, CanBeReadWhileTheyAreBuiltAgain) {
  const auto tree = snapshot({{"a.fake", "class A 0\n"}, {"b.fake", "class B 1\n  method m 0\n"}});
  ASSERT_TRUE(build(*tree));
  std::atomic<bool> ended = false;
  std::latch begun(3);
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      begun.count_down();
      while (!ended) {
        const auto index = tree->symbols(0);
        ASSERT_TRUE(index);
        EXPECT_EQ(index->symbols_of(1)->definitions.size(), 2u);
      }
    });
  }
  begun.wait();
  for (int i = 0; i < 30; ++i) {
    analyser_.set_results(std::to_string(i + 2));
    EXPECT_TRUE(build(*tree));
  }
  ended = true;
}

/// A folder that is edited at random, packed after some edits, with the index of what it was.
class EditedFolder {
 public:
  explicit EditedFolder(unsigned seed) : random_(seed) {}
  void edit() {
    const std::string path = "d" + number(4) + "/f" + number(30) + (one_in(5) ? ".txt" : ".fake");
    if (one_in(4)) {
      files_.erase(path);
    } else if (one_in(4) && !files_.empty()) {
      const auto moved = std::next(files_.begin(), static_cast<long>(random_() % files_.size()));
      files_[path] = moved->second;
      files_.erase(moved->first == path ? "" : moved->first);
    } else {
      files_[path] = text();
    }
  }
  [[nodiscard]] const std::map<std::string, std::string>& files() const { return files_; }

 private:
  bool one_in(unsigned count) { return random_() % count == 0; }
  std::string number(unsigned end) { return std::to_string(random_() % end); }
  std::string text() {
    std::string out;
    if (one_in(20)) out += "crash\n";
    for (unsigned i = random_() % 5; i > 0; --i) {
      out += "# about\nclass C" + number(50) + " 1\n  method m" + number(50) + " 0\n";
    }
    return out + "end\n";
  }
  std::mt19937 random_;
  std::map<std::string, std::string> files_;
};

TEST_F(SnapshotSymbols, AfterAThousandEditsEqualThoseOfAFreshSnapshot) {
  EditedFolder folder(11);
  std::shared_ptr<const Snapshot> before;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 10; ++i) folder.edit();
    const auto pack = [&](std::shared_ptr<const Snapshot> previous) {
      const PackRules everything{false, false, false};
      auto writer = *SnapshotWriter::create(new_directory(), {}, everything, std::move(previous));
      for (const auto& [path, text] : folder.files()) EXPECT_TRUE(writer->add(path, text));
      return *writer->finish();
    };
    const auto now = pack(before);
    std::multiset<std::string> fresh_files;
    for (std::uint32_t i = 0; i < now->segments().size(); ++i) {
      if (now->symbols(i)) continue;
      for (FileId file = 0; file < now->segments()[i]->file_count(); ++file) {
        const std::string path(now->segments()[i]->path(file));
        if (path.ends_with(".fake")) fresh_files.insert(path);
      }
    }
    ASSERT_TRUE(build(*now));
    EXPECT_EQ(analyser_.take_read(), fresh_files) << "files of new segments only";
    const auto fresh = pack(nullptr);
    ASSERT_TRUE(build(*fresh));
    analyser_.take_read();
    expect_equal(symbols_in(*now), symbols_in(*fresh));
    if (before) fs::remove_all(before->directory());
    fs::remove_all(fresh->directory());
    before = now;
  }
}

}  // namespace
}  // namespace quarry::corpus
