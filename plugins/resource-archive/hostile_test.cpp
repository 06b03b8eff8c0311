#include "resource-archive/testing/archive_host.h"

#include <map>
#include <random>

namespace quarry::resource_archive {

namespace {

using quarry::testing::Tree;
using testing::ArchiveHost;
using testing::content_of;
using testing::FetchedArchive;
using testing::kPlain;
using testing::run_in;
using testing::Tar;
using testing::TempDirectory;
using testing::write_file;
using testing::write_many_kinds;

using HostileFiles = std::map<std::string, std::string>;
TEST(Hostile, NamesThatLeadOutAreLeftOut) {
  const FetchedArchive given(Tar()
                                 .file("../up", "1")
                                 .file("a/../../up", "2")
                                 .file("/etc/passwd", "3")
                                 .file("ok", "4")
                                 .end());
  EXPECT_EQ(given.tree.files, (HostileFiles{{"etc/passwd", "3"}, {"ok", "4"}}));
  EXPECT_EQ(given.notes, std::vector<std::string>{
                             "2 members with \"..\" in their names were left out, such as ../up."});
}

TEST(Hostile, LinksAreNotFollowed) {
  const FetchedArchive given(Tar()
                                 .link('2', "out", "/etc")
                                 .file("out/passwd", "x")
                                 .link('1', "hard", "/etc/passwd")
                                 .link('1', "up", "../../etc/passwd")
                                 .link('1', "self", "self")
                                 .file("ok", "1")
                                 .end());
  EXPECT_EQ(given.tree.files, (HostileFiles{{"ok", "1"}}));
  EXPECT_EQ(given.tree.links, std::vector<std::string>{"out"});
  EXPECT_EQ(given.notes.size(), 2u);
}

TEST(Hostile, DevicesAreLeftOut) {
  const FetchedArchive given(Tar()
                                 .link('3', "null", "")
                                 .link('4', "disk", "")
                                 .link('6', "pipe", "")
                                 .file("ok", "1")
                                 .end());
  EXPECT_EQ(given.tree.files, (HostileFiles{{"ok", "1"}}));
  EXPECT_EQ(given.notes,
            std::vector<std::string>{"3 devices, pipes or sockets were left out, such as null."});
}

TEST(Hostile, TheLastOfRepeatedNamesCounts) {
  const FetchedArchive given(Tar().file("a", "1").link('1', "b", "a").file("./a", "2").end());
  EXPECT_EQ(given.tree.files, (HostileFiles{{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(given.notes.size(), 1u);
}

TEST(Hostile, AFileIsNoFolder) {
  const FetchedArchive given(
      Tar().file("a", "1").file("a/b", "2").file("c/d", "3").file("c", "4").end());
  EXPECT_EQ(given.tree.files, (HostileFiles{{"a", "1"}, {"c/d", "3"}}));
}

TEST(Hostile, SizesThatLieAreRefused) {
  const FetchedArchive cut(Tar().member("a", '0', "abc", 7'000'000'000, "").end());
  EXPECT_NE(cut.failure.message.find("damaged"), std::string::npos) << cut.failure.message;
  const FetchedArchive huge(Tar().member("a", '0', "abc", 077777777777ULL * 4, "").end(), "",
                            R"({"max_unpacked_mib":1})");
  EXPECT_NE(huge.failure.status, QUARRY_OK);
  EXPECT_TRUE(huge.tree.files.empty());
}

TEST(Hostile, GarbageNamesWhatIsRead) {
  for (const std::string& body :
       {std::string("<html><body>Sign in</body></html>"), std::string(4096, 'x'),
        std::string("PK\x03\x04 and no more"), std::string("\x1f\x8b\x08"), std::string()}) {
    const FetchedArchive given(body);
    EXPECT_EQ(given.failure.status, QUARRY_INVALID_ARGUMENT) << given.failure.message;
    EXPECT_NE(given.failure.details.find("/url"), std::string::npos);
    EXPECT_FALSE(given.failure.hint.empty());
  }
}

TEST(Hostile, TruncationIsNoticedAtEveryPlace) {
  const TempDirectory directory;
  write_many_kinds(directory.path());
  ASSERT_TRUE(run_in(directory.path(), "tar -czf a.tgz x && zip -qry a.zip x"));
  for (const char* name : {"a.tgz", "a.zip"}) {
    const std::string whole = content_of(directory.path() / name);
    for (std::size_t part = 0; part < 20; ++part) {
      const FetchedArchive given(whole.substr(0, whole.size() * part / 20));
      EXPECT_NE(given.failure.status, QUARRY_OK) << name << " " << part;
    }
  }
}

TEST(Hostile, ChangedBytesDoNoHarm) {
  const TempDirectory directory;
  write_file(directory.path() / "x/a.md", std::string(3000, 'a'));
  write_file(directory.path() / "x/b.md", "b");
  std::filesystem::create_hard_link(directory.path() / "x/b.md", directory.path() / "x/c.md");
  ASSERT_TRUE(
      run_in(directory.path(), "tar -H pax -cf a.tar x && tar -czf a.tgz x && zip -qry a.zip x"));
  std::mt19937 random(1);
  for (const char* name : {"a.tar", "a.tgz", "a.zip"}) {
    const std::string whole = content_of(directory.path() / name);
    for (int i = 0; i < 150; ++i) {
      std::string body = whole;
      for (unsigned k = 0; k < 1 + random() % 8; ++k)
        body[random() % body.size()] = static_cast<char>(random());
      const FetchedArchive given(body);
      for (const auto& [path, text] : given.tree.files) {
        EXPECT_EQ(path.find(".."), std::string::npos);
        EXPECT_FALSE(path.starts_with("/"));
      }
    }
  }
}

TEST(Hostile, DamagedContentIsRefused) {
  const TempDirectory directory;
  write_file(directory.path() / "x", std::string(5000, 'a') + std::string(5000, 'b'));
  ASSERT_TRUE(run_in(directory.path(), "zip -0q a.zip x"));
  std::string body = content_of(directory.path() / "a.zip");
  body[3000] ^= 1;
  const FetchedArchive given(body);
  EXPECT_EQ(given.failure.status, QUARRY_INVALID_ARGUMENT);
  EXPECT_NE(given.failure.message.find("CRC"), std::string::npos) << given.failure.message;
}

TEST(Hostile, ABombIsNotUnpacked) {
  const TempDirectory directory;
  ASSERT_TRUE(run_in(
      directory.path(),
      "truncate -s 150M big && tar -cf - big | bzip2 -9 > b1 && tar -cf - big | gzip -9 > b2 "
      "&& zip -q b.zip big && mv b.zip b3"));
  for (const char* name : {"b1", "b2"}) {
    const FetchedArchive given(content_of(directory.path() / name), "",
                               R"({"max_unpacked_mib":100})");
    EXPECT_EQ(given.failure.status, QUARRY_RESOURCE_EXHAUSTED) << name;
    EXPECT_NE(given.failure.hint.find("max_unpacked_mib"), std::string::npos);
  }
  const FetchedArchive zip(content_of(directory.path() / "b3"));
  EXPECT_EQ(zip.tree.large, (std::map<std::string, std::uint64_t>{{"big", 150u << 20}}));
}

TEST(Hostile, LayersOfCompressionAreRefused) {
  const TempDirectory directory;
  write_file(directory.path() / "x", "1");
  ASSERT_TRUE(run_in(directory.path(), "tar -cf - x | gzip | gzip > a"));
  EXPECT_NE(FetchedArchive(content_of(directory.path() / "a")).failure.status, QUARRY_OK);
}

TEST(Hostile, EncryptedFilesAreNamed) {
  const TempDirectory directory;
  write_file(directory.path() / "secret", "1");
  write_file(directory.path() / "open", "2");
  ASSERT_TRUE(run_in(directory.path(),
                     "zip -q -P word a.zip secret && cp a.zip b.zip && zip -q b.zip open"));
  const FetchedArchive all(content_of(directory.path() / "a.zip"));
  EXPECT_NE(all.failure.message.find("encrypted"), std::string::npos) << all.failure.message;
  const FetchedArchive one(content_of(directory.path() / "b.zip"));
  EXPECT_EQ(one.tree.files, (HostileFiles{{"open", "2"}}));
  EXPECT_EQ(one.notes, std::vector<std::string>{"1 encrypted file was left out, such as secret."});
}

TEST(Hostile, ANameEndsAtItsFirstNul) {
  const TempDirectory directory;
  write_file(directory.path() / "nameXyz", "1");
  ASSERT_TRUE(run_in(directory.path(), "zip -q a.zip nameXyz"));
  std::string body = content_of(directory.path() / "a.zip");
  for (auto at = body.find("Xyz"); at != std::string::npos; at = body.find("Xyz")) body[at] = '\0';
  EXPECT_EQ(FetchedArchive(body).tree.files, (HostileFiles{{"name", "1"}}));
}

TEST(Hostile, ManyEmptyFiles) {
  Tar tar;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i)
    tar.file("d" + std::to_string(i % 100) + "/f" + std::to_string(i), "");
  const FetchedArchive given(tar.end());
  EXPECT_EQ(given.failure.message, "");
  EXPECT_EQ(given.tree.files.size(), std::size_t{kCount});
}

TEST(Hostile, AFullTreeEndsTheFetch) {
  ArchiveHost host;
  host.body = Tar().file("a", "1").file("b", "2").end();
  Tree tree;
  tree.refuse_after(1);
  EXPECT_EQ(host.get(kPlain, tree).failure().status, QUARRY_RESOURCE_EXHAUSTED);
}

}  // namespace

}  // namespace quarry::resource_archive
