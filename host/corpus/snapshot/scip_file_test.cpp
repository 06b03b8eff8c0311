#include "corpus/snapshot/scip_file.h"

#include "base/testing/test_executors.h"
#include "corpus/index/symbol_index.h"
#include "corpus/index/testing/fake_analyser.h"
#include "corpus/scip/scip_index.h"
#include "corpus/scip/testing/scip_bytes.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <string>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ScipFiles : public SnapshotFixture {
 protected:
  using Tree = std::shared_ptr<const Snapshot>;

  void SetUp() override {
    SnapshotFixture::SetUp();
    tree_ = root_ / "tree";
    write(tree_ / "src/a.new", "parse\nother\n");
    write(tree_ / "src/b.new", "run\n");
  }
  /// An index in which `second` is the second definition of src/a.new.
  static std::string index_with(const std::string& second) {
    return scip_bytes(
        {ScipDocumentBytes("src/a.new")
             .definition("s m n v parse().", {0, 0, 5})
             .definition("s m n v " + second + "().", {1, 0, 5})
             .bytes(),
         ScipDocumentBytes("src/b.new").definition("s m n v run().", {0, 0, 3}).bytes()});
  }
  [[nodiscard]] TreeState scan() const {
    ThreadPerJob executor;
    return *TreeState::scan(tree_, {}, {}, executor, {});
  }
  Tree pack(const Tree& previous = nullptr) {
    auto packed =
        pack_directory(tree_, scan(), previous.get(), new_directory(), {}, executor_, {}, {});
    EXPECT_TRUE(packed) << packed.error().message;
    return *packed;
  }
  /// The names of the definitions in the files of a snapshot, after building its index.
  std::vector<std::string> names_in(const Snapshot& tree) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < tree.segments().size(); ++i) {
      EXPECT_TRUE(build_symbols(tree, i, others_, executor_, {}));
      const auto all = tree.symbols(i)->starting_with("");
      for (auto name = all.begin; name < all.end; ++name) {
        names.emplace_back(tree.symbols(i)->name(name));
      }
    }
    return names;
  }

  fs::path tree_;
  FakeAnalyser others_;
  ThreadPerJob executor_;
};

TEST_F(ScipFiles, InTheRootOfAFolderAreUsed) {
  EXPECT_THAT(names_in(*pack()), IsEmpty());
  write(tree_ / "index.scip", index_with("other"));
  const Tree tree = pack();
  EXPECT_EQ(scip_problem(*tree), "");
  EXPECT_THAT(names_in(*tree), ElementsAre("other", "parse", "run"));
  EXPECT_THAT(names_in(**Snapshot::open(tree->directory())), ElementsAre("other", "parse", "run"));
}

TEST_F(ScipFiles, ThatAreIgnoredAreUsed) {
  write(tree_ / ".ignore", "index.scip\n");
  write(tree_ / "index.scip", index_with("other"));
  const Tree tree = pack();
  EXPECT_FALSE(tree->find("index.scip"));
  EXPECT_THAT(names_in(*tree), ElementsAre("other", "parse", "run"));
}

TEST_F(ScipFiles, ChangeTheStateOfTheFolder) {
  write(tree_ / ".ignore", "index.scip\n");
  const std::string before = scan().id();
  EXPECT_FALSE(scan().has_scip());
  write(tree_ / "index.scip", index_with("other"));
  EXPECT_TRUE(scan().has_scip());
  const std::string with = scan().id();
  EXPECT_NE(with, before);
  write(tree_ / "index.scip", index_with("another"));
  EXPECT_NE(scan().id(), with);
  fs::remove(tree_ / "index.scip");
  EXPECT_EQ(scan().id(), before);
}

TEST_F(ScipFiles, ThatChangedAreReadAgainWithoutTheText) {
  write(tree_ / "index.scip", index_with("other"));
  const Tree first = pack();
  names_in(*first);
  write(tree_ / "index.scip",
        scip_bytes(
            {ScipDocumentBytes("src/a.new").definition("s m n v other().", {1, 0, 5}).bytes()}));
  const Tree second = pack(first);
  EXPECT_TRUE(fs::equivalent(first->segments()[0]->directory() / "text",
                             second->segments()[0]->directory() / "text"));
  EXPECT_THAT(names_in(*second), ElementsAre("other"));
  EXPECT_THAT(names_in(*first), ElementsAre("other", "parse", "run")) << "it has its own";
  fs::remove(tree_ / "index.scip");
  EXPECT_THAT(names_in(*pack(second)), IsEmpty());
}

TEST_F(ScipFiles, ThatAreUnchangedAreNotReadAgain) {
  const auto file_of = [](const Tree& tree) { return tree->directory() / ScipIndex::kFileName; };
  write(tree_ / "index.scip", index_with("other"));
  const Tree first = pack();
  write(tree_ / "src/c.new", "x\n");
  const Tree second = pack(first);
  EXPECT_TRUE(fs::equivalent(file_of(first), file_of(second)));
  EXPECT_EQ(first->scip(), second->scip());
  EXPECT_THAT(names_in(*second), ElementsAre("other", "parse", "run"));
  write(tree_ / "index.scip", index_with("another"));
  EXPECT_FALSE(fs::equivalent(file_of(second), file_of(pack(second))));
  write(tree_ / "index.scip", "no index");
  const Tree broken = pack();
  EXPECT_TRUE(fs::equivalent(file_of(broken), file_of(pack(broken)))) << "nor is its problem";
}

TEST_F(ScipFiles, ThatCannotBeUsedAreToldAndDoNoHarm) {
  write(tree_ / "c.fake", "class C 0\n");
  write(tree_ / "index.scip", "no index");
  EXPECT_THAT(scip_problem(*pack()), HasSubstr("index.scip is not used: it is not a message"));
  EXPECT_THAT(names_in(*pack()), ElementsAre("C"));
  fs::resize_file(tree_ / "index.scip", kMostScipBytes + 1);
  EXPECT_EQ(scip_problem(*pack()), "index.scip is not used: it has more than 128.0 MB");
  fs::remove(tree_ / "index.scip");
  fs::create_symlink("/etc/passwd", tree_ / "index.scip");
  EXPECT_FALSE(scan().has_scip()) << "a link may lead anywhere";
  EXPECT_EQ(scip_problem(*pack()), "");
  fs::remove(tree_ / "index.scip");
  write(tree_ / "src/index.scip", index_with("other"));
  EXPECT_FALSE(scan().has_scip()) << "not in the root";
}

TEST_F(ScipFiles, OfFetchedFilesAreUsed) {
  const std::string index = index_with("other");
  const Tree tree =
      snapshot({{"src/a.new", "parse\nother\n"}, {"src/b.new", "run\n"}, {"index.scip", index}});
  EXPECT_THAT(names_in(*tree), ElementsAre("other", "parse", "run"));
  const Tree broken = snapshot({{"src/a.new", "parse\n"}, {"index.scip", "no index"}});
  EXPECT_THAT(scip_problem(*broken), HasSubstr("index.scip is not used"));
  const Tree without = snapshot({{"src/a.new", "parse\n"}, {"src/index.scip", index}});
  EXPECT_EQ(without->scip(), nullptr);
}

TEST_F(ScipFiles, ThatAreDamagedAreLikeNone) {
  write(tree_ / "index.scip", index_with("other"));
  const Tree tree = pack();
  const fs::path file = tree->directory() / ScipIndex::kFileName;
  std::string bytes = *read_file(file);
  bytes[bytes.size() / 2] ^= 1;
  write(file, bytes);
  EXPECT_THAT(names_in(**Snapshot::open(tree->directory())), IsEmpty());
}

TEST_F(ScipFiles, ThatDisappearBeforeTheyAreReadAreLeftOut) {
  write(tree_ / "index.scip", index_with("other"));
  const TreeState state = scan();
  fs::remove(tree_ / "index.scip");
  const auto packed = pack_directory(tree_, state, nullptr, new_directory(), {}, executor_, {}, {});
  ASSERT_TRUE(packed);
  EXPECT_EQ((*packed)->scip(), nullptr);
}

}  // namespace
}  // namespace quarry::corpus
