#include "corpus/segment/shared_by_file.h"

#include "base/file.h"
#include "corpus/segment/testing/directory_fixture.h"

#include <string>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// Objects with the bytes of their file, which they map.
class SharedObjects : public DirectoryFixture {
 protected:
  struct Object {
    MappedFile file;
    [[nodiscard]] std::string_view bytes() const { return file.bytes(); }
  };
  Result<std::shared_ptr<const Object>> get(const fs::path& file) {
    return shared_.get(file, [&]() -> Result<std::shared_ptr<const Object>> {
      ++opened_;
      if (while_open_) while_open_();
      auto mapped = MappedFile::open(file);
      if (!mapped) return std::move(mapped).error();
      return std::make_shared<const Object>(Object{std::move(*mapped)});
    });
  }

  SharedByFile<Object> shared_;
  std::function<void()> while_open_;
  int opened_ = 0;
};

TEST_F(SharedObjects, AreOneForAllLinks) {
  write(root_ / "a", "one");
  fs::create_hard_link(root_ / "a", root_ / "b");
  const auto a = *get(root_ / "a");
  EXPECT_EQ(*get(root_ / "b"), a);
  EXPECT_EQ(*get(root_ / "a"), a);
  EXPECT_EQ(opened_, 1);
}

TEST_F(SharedObjects, AreOthersForOtherFiles) {
  write(root_ / "a", "one");
  const auto a = *get(root_ / "a");
  write(root_ / "new", "two");
  fs::rename(root_ / "new", root_ / "a");
  const auto b = *get(root_ / "a");
  EXPECT_EQ(a->bytes(), "one");
  EXPECT_EQ(b->bytes(), "two");
}

TEST_F(SharedObjects, LiveOnlyAsLongAsTheyAreUsed) {
  write(root_ / "a", "one");
  const std::weak_ptr<const Object> a = *get(root_ / "a");
  EXPECT_TRUE(a.expired());
  EXPECT_TRUE(get(root_ / "a"));
  EXPECT_EQ(opened_, 2);
}

TEST_F(SharedObjects, AreNotKeptIfTheFileIsReplacedMeanwhile) {
  write(root_ / "a", "one");
  fs::create_hard_link(root_ / "a", root_ / "old");
  while_open_ = [&] {
    write(root_ / "new", "two");
    fs::rename(root_ / "new", root_ / "a");
  };
  const auto first = *get(root_ / "a");
  while_open_ = nullptr;
  EXPECT_EQ(first->bytes(), "two");
  EXPECT_EQ((*get(root_ / "old"))->bytes(), "one") << "not what was opened for that file";
}

TEST_F(SharedObjects, ThatCannotBeOpenedAreTriedAgain) {
  EXPECT_FALSE(get(root_ / "a"));
  write(root_ / "a", "one");
  EXPECT_TRUE(get(root_ / "a"));
}

}  // namespace
}  // namespace quarry::corpus
