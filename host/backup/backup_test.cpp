#include "backup/backup.h"

#include "backup/testing/backup_fixture.h"

#include <sys/stat.h>

namespace quarry::backup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST_F(BackupTest, HasEveryPartThatIsThere) {
  ASSERT_TRUE(create_private_directories(to_.parent_path()));
  const auto made = back_up(places_, to_, work());
  ASSERT_TRUE(made) << made.error().message;
  const Manifest read = read_manifest(to_).value();
  EXPECT_EQ(read.version, "1.0");
  EXPECT_EQ(read.created, "2027-01-15T08:00:00Z");
  EXPECT_EQ(read_file(to_ / "configuration/user.toml").value(), "[server]\n");
  EXPECT_EQ(read.find("configuration/user.toml")->origin, configuration().string());
  EXPECT_FALSE(std::filesystem::exists(to_ / "configuration/user.lock"));
  EXPECT_THAT(asked(to_ / kHistoryPath), ElementsAre("first"));
  EXPECT_EQ(read_file(to_ / kDumpPath).value(), R"({"text":"projects"})");
  EXPECT_EQ(read_file(to_ / kSecretsKeyPath).value(), "the key");
  for (const BackedUpFile& file : read.files) {
    EXPECT_TRUE(verify(to_, file)) << file.path;
    struct stat status {};
    ASSERT_EQ(::stat((to_ / file.path).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << file.path;
  }
  EXPECT_THAT(entries(to_.parent_path()), ElementsAre("one"));
}

TEST_F(BackupTest, HasTheWantedPartsAlone) {
  ASSERT_TRUE(create_private_directories(to_.parent_path()));
  ASSERT_TRUE(back_up(places_, to_, work({Part::kHistory})));
  EXPECT_THAT(entries(to_), UnorderedElementsAre("history.db", "backup.json"));
}

TEST_F(BackupTest, MakesNoStoreThatIsNotThere) {
  store_.text = "";
  ASSERT_TRUE(create_private_directories(to_.parent_path()));
  ASSERT_TRUE(back_up(places_, to_, work()));
  EXPECT_FALSE(read_manifest(to_)->has(Part::kStore));
  EXPECT_EQ(store_.text, "");
}

TEST_F(BackupTest, OfNothingIsAnError) {
  ASSERT_TRUE(create_private_directories(to_.parent_path()));
  const Places nowhere{root_, {}, nullptr};
  const auto made = back_up(nowhere, to_, work());
  EXPECT_EQ(made.error().tag, kNothingTag);
  EXPECT_THAT(entries(to_.parent_path()), IsEmpty());
}

TEST_F(BackupTest, ThatFailsNamesThePartAndLeavesNothing) {
  ASSERT_TRUE(create_private_directories(to_.parent_path()));
  std::filesystem::remove(history());
  write(history(), std::string(8192, 'x'));
  const auto made = back_up(places_, to_, work());
  EXPECT_THAT(made.error().message, HasSubstr("history: "));
  EXPECT_THAT(entries(to_.parent_path()), IsEmpty());
}

TEST_F(BackupTest, IsCancelledAtEveryLook) {
  ASSERT_TRUE(create_private_directories(to_.parent_path()));
  int looks = 1;
  for (;; ++looks) {
    cancelled_after_ = looks;
    const auto made = back_up(places_, to_, work());
    if (made) break;
    EXPECT_EQ(made.error().code, Code::kCancelled);
    EXPECT_THAT(entries(to_.parent_path()), IsEmpty());
  }
  EXPECT_EQ(looks, 5) << "one look a part, and one a page of the audit";
}

TEST_F(BackupTest, ExcludesAnother) {
  const auto lock = lock_state(places_.state);
  ASSERT_TRUE(lock);
  const auto other = lock_state(places_.state);
  EXPECT_EQ(other.error().code, Code::kUnavailable);
  EXPECT_THAT(other.error().message, HasSubstr("another backup or restore"));
}

}  // namespace
}  // namespace quarry::backup
