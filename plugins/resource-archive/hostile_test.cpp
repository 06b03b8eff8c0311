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
  // arq5x/bedtools2#189: a page in place of the archive.
  const FetchedArchive page("<!DOCTYPE html><title>Sign in</title>" + std::string(4096, 'x'));
  EXPECT_NE(page.failure.message.find("leads to a web page, not to an archive: Sign in"),
            std::string::npos)
      << page.failure.message;
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

TEST(Hostile, HardLinksAreSummedBeforeAnythingIsAdded) {
  Tar tar;
  tar.file("good", "1").file("a", std::string(std::size_t{1} << 20, 'a'));
  for (int i = 0; i < 300; ++i) {
    // Every second one leads to a link.
    tar.link('1', "h" + std::to_string(i), i % 2 == 0 ? "a" : "h" + std::to_string(i - 1));
  }
  const FetchedArchive given(tar.end());
  EXPECT_EQ(given.failure.status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_NE(given.failure.message.find("more than 200 times its size of "), std::string::npos)
      << given.failure.message;
  EXPECT_NE(given.failure.message.find("hard links as copies"), std::string::npos);
  EXPECT_NE(given.failure.hint.find("local resource"), std::string::npos);
  EXPECT_TRUE(given.tree.files.empty());
  const FetchedArchive part(tar.end(), R"(,"path":"h7")");
  EXPECT_EQ(part.failure.message, "") << "what is not written does not count";
}

TEST(Hostile, SparseFilesCountAsTheyAreWritten) {
  const TempDirectory directory;
  ASSERT_TRUE(run_in(directory.path(),
                     "mkdir x && for i in $(seq 100); do truncate -s 3M x/$i; done"
                     " && tar -S -H pax -cf a.tar x && tar -S -H gnu -cf b.tar x"));
  for (const char* name : {"a.tar", "b.tar"}) {
    const FetchedArchive given(content_of(directory.path() / name));
    EXPECT_NE(given.failure.message.find("more than 200 times its size of "), std::string::npos)
        << given.failure.message;
    EXPECT_TRUE(given.tree.files.empty());
  }
}

TEST(Hostile, ASizeInAPaxHeaderCounts) {
  const std::string record = "20 size=99999999999\n";
  const std::string header(record.size() == 20 ? record : "");
  const FetchedArchive given(
      Tar().file("good", "1").member("p", 'x', header, 20).file("a", "2").end());
  EXPECT_EQ(given.failure.status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_NE(given.failure.message.find("more than 17179869184 bytes"), std::string::npos)
      << given.failure.message;
  EXPECT_TRUE(given.tree.files.empty());
}

std::string little(std::uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i, value >>= 8) out += static_cast<char>(value);
  return out;
}

/// A zip whose files share their compressed bytes: the content of each begins at its own header,
/// and goes on through those of all others.
std::string overlapping_zip(std::uint64_t count, std::uint64_t size) {
  const std::uint64_t step = 30 + 4;
  std::string out;
  std::string directory;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string name = std::to_string(1000 + i);
    const std::string common = little(20, 2) + little(0, 2) + little(8, 2) + little(0, 8) +
                               little((count - i - 1) * step + 5000, 4) + little(size, 4) +
                               little(name.size(), 2) + little(0, 2);
    out += "PK\x03\x04" + common + name;
    directory += "PK\x01\x02" + little(20, 2) + common + little(0, 10) + little(i * step, 4) + name;
  }
  out += std::string(5000, '\0');
  const std::uint64_t at = out.size();
  return out + directory + "PK\x05\x06" + little(0, 4) + little(count, 2) + little(count, 2) +
         little(directory.size(), 4) + little(at, 4) + little(0, 2);
}

// D. Fifield, "A better zip bomb", WOOT 2019: files of a zip that share their compressed bytes.
TEST(Hostile, FilesThatShareTheirBytesAreSummed) {
  const FetchedArchive given(overlapping_zip(1000, std::uint64_t{3} << 20));
  EXPECT_EQ(given.failure.status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_NE(given.failure.message.find("more than 200 times its size of "), std::string::npos)
      << given.failure.message;
  EXPECT_TRUE(given.tree.files.empty());
  // Files that are too large to be stored are not read.
  EXPECT_EQ(FetchedArchive(overlapping_zip(50, std::uint64_t{200} << 20)).failure.message, "");
  EXPECT_NE(FetchedArchive(overlapping_zip(50, std::uint64_t{400} << 20)).failure.message, "");
}

TEST(Hostile, AZipWithMoreThanItStatesIsRefused) {
  const TempDirectory directory;
  write_file(directory.path() / "x", std::string(5000, 'a'));
  ASSERT_TRUE(run_in(directory.path(), "zip -q a.zip x"));
  std::string body = content_of(directory.path() / "a.zip");
  const std::string stated = little(5000, 4);
  for (auto at = body.find(stated); at != std::string::npos; at = body.find(stated)) {
    body.replace(at, 4, little(10, 4));
  }
  const FetchedArchive given(body);
  EXPECT_NE(given.failure.status, QUARRY_OK);
  EXPECT_TRUE(given.tree.files.empty());
}

TEST(Hostile, PathsThatNoTreeKeepsAreLeftOut) {
  const auto add = [](Tar& tar, const std::string& path) {  // GNU's long name
    tar.member("././@LongLink", 'L', path + '\0', path.size() + 1).file("short", "x");
  };
  std::string deep;
  while (deep.size() < 1'000'000) deep += "d/";  // looking up each folder of it would take hours
  Tar tar;
  tar.file("good", "1");
  add(tar, std::string(300, 'n'));
  add(tar, std::string(5000, 'n'));
  add(tar, deep + "x");
  const FetchedArchive given(tar.end());
  EXPECT_EQ(given.tree.files, (HostileFiles{{"good", "1"}, {std::string(300, 'n'), "x"}}));
  ASSERT_EQ(given.notes.size(), 1u);
  EXPECT_TRUE(given.notes[0].starts_with("2 files were left out because their paths are too long"))
      << given.notes[0];
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
