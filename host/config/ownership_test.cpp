#include "config/ownership.h"

#include "config/testing/config_fixture.h"

#include <pwd.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace quarry::config {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kMe = 1000;
constexpr gid_t kMyGroup = 1000;
constexpr Reader kReader{
    kMe, [](uid_t owner, gid_t group) { return owner == kMe && group == kMyGroup; }};

struct stat entry_of(uid_t owner, mode_t mode, gid_t group = 7) {
  struct stat out {};
  out.st_uid = owner;
  out.st_gid = group;
  out.st_mode = mode;
  return out;
}

std::string cause(uid_t owner, mode_t mode, Owners owners = Owners::kSelf, gid_t group = 7) {
  return foreign_entry(entry_of(owner, mode, group), kReader, owners).value_or("");
}

std::string directory_cause(uid_t owner, mode_t mode, gid_t group = 7) {
  return foreign_directory(entry_of(owner, S_IFDIR | mode, group), kReader).value_or("");
}

TEST(Ownership, AGroupIsPrivateWhenItHasItsOnlyMembersName) {
  const Reader reader = Reader::current();
  EXPECT_TRUE(reader.is_private_group(0, 0));
  EXPECT_FALSE(reader.is_private_group(0, 1)) << "not the user's own group";
  // "sync" of every Debian: its group is nogroup, which others have too.
  const passwd* const sync = ::getpwnam("sync");
  if (sync == nullptr) GTEST_SKIP() << "this system has no user \"sync\"";
  EXPECT_FALSE(reader.is_private_group(sync->pw_uid, sync->pw_gid));
}

TEST(Ownership, AFileIsReadWhenNobodyElseCouldHaveWrittenIt) {
  EXPECT_EQ(cause(kMe, S_IFREG | 0644), "");
  EXPECT_EQ(cause(7, S_IFREG | 0600), "belongs to another user (uid 7)");
  EXPECT_EQ(cause(kMe, S_IFREG | 0646), "others may write to it (mode 0646)");
  EXPECT_EQ(cause(kMe, S_IFREG | 0664), "others may write to it (mode 0664)");
  EXPECT_EQ(cause(kMe, S_IFREG | 0664, Owners::kSelf, kMyGroup), "");
  EXPECT_EQ(cause(kMe, S_IFREG | 0666, Owners::kSelf, kMyGroup),
            "others may write to it (mode 0666)");
}

TEST(Ownership, RootMayOwnTheUsersFileButNoProjects) {
  EXPECT_EQ(cause(0, S_IFREG | 0644), "belongs to another user (uid 0)");
  EXPECT_EQ(cause(0, S_IFREG | 0644, Owners::kSelfOrRoot), "");
  EXPECT_EQ(cause(0, S_IFREG | 0666, Owners::kSelfOrRoot), "others may write to it (mode 0666)");
}

TEST(Ownership, ALinkHasAnOwnerAndNoMode) {
  EXPECT_EQ(cause(kMe, S_IFLNK | 0777), "");
  EXPECT_EQ(cause(7, S_IFLNK | 0777), "belongs to another user (uid 7)");
}

TEST(Ownership, InADirectoryOthersCannotReplaceTheFile) {
  EXPECT_EQ(directory_cause(kMe, 0755), "");
  EXPECT_EQ(directory_cause(0, 0755), "");
  EXPECT_EQ(directory_cause(0, 01777), "");
  EXPECT_EQ(directory_cause(kMe, 0775, kMyGroup), "");
  EXPECT_EQ(directory_cause(7, 0755), "its directory belongs to another user (uid 7)");
  EXPECT_EQ(directory_cause(kMe, 0777), "others may write to its directory (mode 0777)");
  EXPECT_EQ(directory_cause(kMe, 0775), "others may write to its directory (mode 0775)");
}

class OwnFile : public InDirectory {
 protected:
  std::optional<ProjectFile> found() {
    auto file = read_project_file(root_, "quarry.toml", 100);
    EXPECT_TRUE(file) << file.error().message;
    return file ? *file : std::nullopt;
  }
  std::string why_not() { return found() ? found()->not_read : "not there"; }
};

TEST_F(OwnFile, OfTheUserIsReadUnlessOthersMayWrite) {
  const auto file = write("quarry.toml", "x");
  EXPECT_EQ(**read_own_file(file, 10), "x");
  EXPECT_FALSE(*read_own_file(root_ / "none", 10));
  EXPECT_THAT(read_own_file(root_, 10).error().message, HasSubstr("not a regular file"));
  ::chmod(file.c_str(), 0666);
  EXPECT_THAT(read_own_file(file, 10).error().message, HasSubstr("others may write to it"));
}

TEST_F(OwnFile, OfAProjectIsReadUnlessOthersMayWriteItOrItsDirectory) {
  EXPECT_EQ(why_not(), "not there");
  const auto file = write("quarry.toml", "x");
  EXPECT_EQ(found()->bytes, "x");
  ::chmod(file.c_str(), 0662);
  EXPECT_THAT(why_not(), HasSubstr("mode 0662"));
  ::chmod(file.c_str(), 0600);
  ::chmod(root_.c_str(), 0777);
  EXPECT_THAT(why_not(), HasSubstr("its directory (mode 0777)"));
  ::chmod(root_.c_str(), 01777);
  EXPECT_EQ(why_not(), "");
}

TEST_F(OwnFile, BehindALinkIsJudgedAsWhatItIs) {
  const auto file = write("real/q", "x");
  std::filesystem::create_symlink(file, root_ / "quarry.toml");
  EXPECT_EQ(found()->bytes, "x");
  ::chmod(file.c_str(), 0602);
  EXPECT_THAT(why_not(), HasSubstr("mode 0602"));
  std::filesystem::remove(file);
  EXPECT_EQ(why_not(), "not there");
}

TEST_F(OwnFile, ThatIsNoFileOrTooLargeFails) {
  ASSERT_EQ(::mkfifo((root_ / "quarry.toml").c_str(), 0600), 0);
  EXPECT_THAT(read_project_file(root_, "quarry.toml", 100).error().message,
              HasSubstr("quarry.toml: not a regular file"));
  std::filesystem::remove(root_ / "quarry.toml");
  std::filesystem::create_directory(root_ / "quarry.toml");
  EXPECT_FALSE(read_project_file(root_, "quarry.toml", 100));
  std::filesystem::remove(root_ / "quarry.toml");
  write("quarry.toml", std::string(101, 'x'));
  EXPECT_THAT(read_project_file(root_, "quarry.toml", 100).error().message,
              HasSubstr("quarry.toml: larger than 100 bytes"));
}

TEST_F(OwnFile, OfAnotherUserIsNeverOpened) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const auto file = write("quarry.toml", "x");
  ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
  EXPECT_THAT(why_not(), HasSubstr("uid 12345"));
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/proc/self/environ", file);
  ASSERT_EQ(::lchown(file.c_str(), 12345, 12345), 0);
  EXPECT_THAT(why_not(), HasSubstr("uid 12345"));
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
  EXPECT_THAT(why_not(), HasSubstr("uid 12345"));
}

}  // namespace
}  // namespace quarry::config
