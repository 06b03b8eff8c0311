#include "corpus/snapshot/beneath.h"

#include "corpus/segment/testing/directory_fixture.h"

#include <fcntl.h>

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class BeneathRoot : public DirectoryFixture {
 protected:
  void SetUp() override {
    DirectoryFixture::SetUp();
    write(root_ / "outside", "secret");
    write(tree() / "dir" / "file", "inside");
    fs::create_symlink("../outside", tree() / "link");
    fs::create_directory_symlink("..", tree() / "up");
    fs::create_symlink("dir/file", tree() / "harmless");
  }
  fs::path tree() const { return root_ / "tree"; }
};

TEST_F(BeneathRoot, ReadsFilesWithin) {
  const auto beneath = Beneath::open(tree());
  EXPECT_EQ(*beneath->read("dir/file", 100), "inside");
  EXPECT_TRUE(beneath->open_directory(""));
  EXPECT_TRUE(beneath->open_directory("dir"));
  EXPECT_EQ(beneath->read("none", 100).error().code, Code::kNotFound);
}

TEST_F(BeneathRoot, NeverFollowsALink) {
  const auto beneath = Beneath::open(tree());
  for (const char* path : {"link", "up/outside", "harmless", "../outside", "dir/../../outside"}) {
    EXPECT_FALSE(beneath->read(path, 100)) << path;
  }
  EXPECT_FALSE(beneath->open_directory("up"));
}

TEST_F(BeneathRoot, NeverFollowsALinkWithoutOpenat2Either) {
  const Fd root(::open(tree().c_str(), O_RDONLY | O_DIRECTORY));
  EXPECT_TRUE(Fd(open_step_by_step(root.get(), "dir/file", O_RDONLY)));
  EXPECT_TRUE(Fd(open_step_by_step(root.get(), "", O_RDONLY | O_DIRECTORY)));
  for (const char* path :
       {"link", "up/outside", "harmless", "../outside", "dir/../../outside", "..", "none/file"}) {
    EXPECT_FALSE(Fd(open_step_by_step(root.get(), path, O_RDONLY))) << path;
  }
}

TEST_F(BeneathRoot, MayItselfBeReachedByALink) {
  fs::create_directory_symlink(tree(), root_ / "alias");
  EXPECT_EQ(*Beneath::open(root_ / "alias")->read("dir/file", 100), "inside");
  EXPECT_EQ(Beneath::open(root_ / "none").error().code, Code::kNotFound);
}

TEST_F(BeneathRoot, NeverWaitsForAFifo) {
  ASSERT_EQ(::mkfifo((tree() / "fifo").c_str(), 0600), 0);
  const auto read = Beneath::open(tree())->read("fifo", 100);
  EXPECT_THAT(read.error().message, HasSubstr("not a regular file"));
}

TEST_F(BeneathRoot, ReadsUpToALimit) {
  const auto beneath = Beneath::open(tree());
  EXPECT_TRUE(beneath->read("dir/file", 6));
  EXPECT_EQ(beneath->read("dir/file", 5).error().code, Code::kResourceExhausted);
  EXPECT_EQ(Beneath::open("/proc/self")->read("cmdline", 5).error().code, Code::kResourceExhausted)
      << "a size of 0 is no promise";
}

}  // namespace
}  // namespace quarry::corpus
