#include "config/trust_list.h"

#include "base/hash.h"
#include "config/testing/config_fixture.h"

#include <fstream>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ListOfTrust : public InDirectory {
 protected:
  ListOfTrust() { fs::create_directories(file_.parent_path()); }
  fs::path record() const { return trust_ / sha256_hex(file_.native()); }

  const fs::path file_ = root_ / "p/quarry.toml";
};

TEST_F(ListOfTrust, TrustsAPathWithItsContent) {
  EXPECT_FALSE(list_.trusts(file_, "a"));
  ASSERT_TRUE(list_.record(file_, {"a"}));
  EXPECT_TRUE(list_.trusts(file_, "a"));
  EXPECT_FALSE(list_.trusts(file_, "b"));
  EXPECT_FALSE(list_.trusts(root_ / "other.toml", "a"));
  EXPECT_TRUE(list_.knows(file_));
  EXPECT_FALSE(list_.knows(root_ / "other.toml"));
}

TEST_F(ListOfTrust, TrustsTheLastContentsAlone) {
  ASSERT_TRUE(list_.record(file_, {"a", "b"}));
  EXPECT_TRUE(list_.trusts(file_, "a"));
  EXPECT_TRUE(list_.trusts(file_, "b"));
  ASSERT_TRUE(list_.record(file_, {"c"}));
  EXPECT_FALSE(list_.trusts(file_, "a"));
}

TEST_F(ListOfTrust, KeepsItForTheUserAlone) {
  ASSERT_TRUE(list_.record(file_, {"a"}));
  EXPECT_EQ(fs::status(trust_).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(record()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ListOfTrust, ForgetsWhatIsRevoked) {
  ASSERT_TRUE(list_.record(file_, {"a"}));
  EXPECT_TRUE(*list_.revoke(file_));
  EXPECT_FALSE(*list_.revoke(file_));
  EXPECT_FALSE(list_.trusts(file_, "a"));
}

TEST_F(ListOfTrust, NamesItsEntriesByPathWhateverBytesItHas) {
  const fs::path odd = root_ / "p/a\nb \xff.toml";
  ASSERT_TRUE(list_.record(odd, {"a"}));
  ASSERT_TRUE(list_.record(file_, {"b"}));
  std::vector<fs::path> files;
  for (const auto& entry : list_.entries()) files.push_back(entry.file);
  EXPECT_THAT(files, ElementsAre(odd, file_));
  EXPECT_TRUE(list_.trusts(odd, "a"));
}

TEST_F(ListOfTrust, KnowsADirectoryByWhereItIsAndALinkByItself) {
  ASSERT_TRUE(list_.record(file_, {"a"}));
  fs::create_directory_symlink(root_ / "p", root_ / "q");
  EXPECT_TRUE(list_.trusts(root_ / "q/quarry.toml", "a"));
  EXPECT_TRUE(list_.trusts(root_ / "p/../p/quarry.toml", "a"));
  write("p/quarry.toml", "a");
  fs::create_symlink(file_, root_ / "quarry.toml");
  EXPECT_FALSE(list_.trusts(root_ / "quarry.toml", "a"));
}

TEST_F(ListOfTrust, TrustsNothingByADamagedRecordAndHealsIt) {
  ASSERT_TRUE(list_.record(file_, {"a"}));
  const std::string whole = *read_file(record());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    std::ofstream(record(), std::ios::trunc) << whole.substr(0, cut);
    EXPECT_FALSE(list_.trusts(file_, "a")) << cut;
  }
  for (const std::string& text : {std::string(), std::string("\n\n"), "x" + whole, whole + whole,
                                  std::string(100'000, 'a'), std::string(100, '\0')}) {
    std::ofstream(record(), std::ios::trunc) << text;
    EXPECT_FALSE(list_.trusts(file_, "a"));
    EXPECT_THAT(list_.entries(), IsEmpty());
  }
  ASSERT_TRUE(list_.record(file_, {"a"}));
  EXPECT_TRUE(list_.trusts(file_, "a"));
}

TEST_F(ListOfTrust, TrustsNoRecordOfAnotherFile) {
  ASSERT_TRUE(list_.record(root_ / "p/other.toml", {"a"}));
  fs::rename(trust_ / sha256_hex((root_ / "p/other.toml").native()), record());
  EXPECT_FALSE(list_.trusts(file_, "a"));
  EXPECT_THAT(list_.entries(), IsEmpty());
}

TEST_F(ListOfTrust, TrustsNothingThatOthersCouldHaveWritten) {
  ASSERT_TRUE(list_.record(file_, {"a"}));
  fs::permissions(record(), fs::perms(0666));
  EXPECT_FALSE(list_.trusts(file_, "a"));
  ASSERT_TRUE(list_.record(file_, {"a"}));
  EXPECT_TRUE(list_.trusts(file_, "a"));
  fs::permissions(trust_, fs::perms(0777));
  EXPECT_FALSE(list_.trusts(file_, "a"));
  EXPECT_THAT(list_.record(file_, {"a"}).error().message, ::testing::HasSubstr("is not used"));
  EXPECT_THAT(list_.entries(), IsEmpty());
}

TEST_F(ListOfTrust, FollowsNoLink) {
  ASSERT_TRUE(list_.record(file_, {"a"}));
  fs::rename(record(), root_ / "moved");
  fs::create_symlink(root_ / "moved", record());
  EXPECT_FALSE(list_.trusts(file_, "a"));
  fs::remove(record());
  fs::rename(root_ / "moved", record());
  fs::rename(trust_, root_ / "list");
  fs::create_directory_symlink(root_ / "list", trust_);
  EXPECT_FALSE(list_.trusts(file_, "a"));
}

TEST_F(ListOfTrust, OfAnotherUserIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_TRUE(list_.record(file_, {"a"}));
  ASSERT_EQ(::chown(record().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(list_.trusts(file_, "a"));
  ASSERT_EQ(::chown(record().c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(trust_.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(list_.trusts(file_, "a"));
}

TEST_F(ListOfTrust, WithoutADirectoryTrustsNothing) {
  const TrustList none{{}};
  EXPECT_FALSE(none.trusts(file_, "a"));
  EXPECT_FALSE(*none.revoke(file_));
  EXPECT_THAT(none.record(file_, {"a"}).error().hint, ::testing::HasSubstr("HOME"));
}

TEST_F(ListOfTrust, TakesManyFilesAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 5; ++n) {
        const auto file = root_ / "p" / (std::to_string(i) + ".toml");
        EXPECT_TRUE(list_.record(file, {std::to_string(n)}));
        EXPECT_TRUE(list_.record(file_, {"same"}));
        EXPECT_TRUE(list_.trusts(file, std::to_string(n)));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(list_.entries().size(), 9u);
}

}  // namespace
}  // namespace quarry::config
