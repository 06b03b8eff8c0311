#include "resource-archive/testing/archive_host.h"

#include <map>
#include <utility>

namespace quarry::resource_archive {

namespace {

using testing::content_of;
using testing::FetchedArchive;
using testing::files_of;
using testing::run_in;
using testing::Tar;
using testing::TempDirectory;
using testing::write_many_kinds;
using UnpackedFiles = std::map<std::string, std::string>;

class Judge : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Judge, GivesTheSameFiles) {
  const auto& [pack, unpack] = GetParam();
  const TempDirectory directory;
  write_many_kinds(directory.path());
  ASSERT_TRUE(run_in(directory.path(), pack)) << pack;
  std::filesystem::create_directories(directory.path() / "out");
  ASSERT_TRUE(run_in(directory.path() / "out", unpack)) << unpack;
  const FetchedArchive given(content_of(directory.path() / "archive"));
  EXPECT_EQ(given.failure.message, "");
  EXPECT_EQ(given.tree.files, files_of(directory.path() / "out"));
  EXPECT_EQ(given.tree.links, std::vector<std::string>{"x/link"});
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Judge,
    ::testing::Values(
        std::pair{"tar -cf archive x", "tar -xf ../archive"},
        std::pair{"tar -H ustar --exclude=nnn* -cf archive x", "tar -xf ../archive"},
        std::pair{"tar -H pax -czf archive x", "tar -xzf ../archive"},
        std::pair{"tar -H pax -cJf archive x", "tar -xJf ../archive"},
        std::pair{"tar -H gnu --zstd -cf archive x", "tar --zstd -xf ../archive"},
        std::pair{"tar -cjf archive ./x", "tar -xjf ../archive"},
        std::pair{"tar -H v7 --exclude=nnn* -cf archive x", "tar -xf ../archive"},
        std::pair{"truncate -s 1M x/holes && echo end >> x/holes && tar -S -cf archive x",
                  "tar -xf ../archive"},
        std::pair{"zip -qry a.zip x && mv a.zip archive", "unzip -q ../archive"},
        std::pair{"zip -0qry a.zip x && mv a.zip archive", "unzip -q ../archive"},
        std::pair{"zip -Z bzip2 -qry a.zip x && mv a.zip archive", "unzip -q ../archive"},
        std::pair{"zip -fz -qry - x > archive", "unzip -q ../archive"}));

TEST(Zip, NamesKeepTheirBytesOrBecomeUtf8) {
  const TempDirectory directory;
  ASSERT_TRUE(run_in(directory.path(), R"(python3 -c "
import zipfile
with zipfile.ZipFile('a','w') as z:
    for n in ['plain.txt','caf\u00e9.txt','cafe\u0301.txt']: z.writestr(n, n)
    for n, s in [('dosX.txt', 0), ('unixX.txt', 3)]:
        i = zipfile.ZipInfo(n); i.create_system = s; z.writestr(i, b'')
b = open('a','rb').read().replace(b'dosX', b'dos\x82').replace(b'unixX', b'unix\xe9')
open('a','wb').write(b)
")"));
  const FetchedArchive given(content_of(directory.path() / "a"));
  std::vector<std::string> names;
  for (const auto& [name, text] : given.tree.files) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"cafe\xcc\x81.txt", "caf\xc3\xa9.txt",
                                             "dos\xc3\xa9.txt", "plain.txt", "unix\xe9.txt"}));
}

TEST(Unpack, LargeFilesAreListed) {
  const FetchedArchive given(
      Tar().file("big", std::string((4u << 20) + 1, 'x')).file("a", "1").end());
  EXPECT_EQ(given.tree.large, (std::map<std::string, std::uint64_t>{{"big", (4u << 20) + 1}}));
  EXPECT_EQ(given.tree.files, (UnpackedFiles{{"a", "1"}}));
}

TEST(Unpack, HardLinksFollowStrip) {
  const FetchedArchive given(Tar().file("t/a", "1").link('1', "t/b", "t/a").end(), R"(,"strip":1)");
  EXPECT_EQ(given.tree.files, (UnpackedFiles{{"a", "1"}, {"b", "1"}}));
}

TEST(Unpack, AnArchiveWithoutFilesSaysSo) {
  const FetchedArchive empty(Tar().end());
  EXPECT_NE(empty.failure.message.find("without files"), std::string::npos)
      << empty.failure.message;
  const FetchedArchive stripped(Tar().file("a", "1").end(), R"(,"strip":1)");
  EXPECT_EQ(stripped.failure.hint, "lower strip");
}

}  // namespace

}  // namespace quarry::resource_archive
