#include "resource-npm/tarball.h"

#include "resource-npm/gunzip.h"
#include "resource-npm/testing/tarballs.h"

#include <quarry/testing.hpp>

#include <gmock/gmock.h>

namespace quarry::resource_npm {
namespace {

using ::testing::ElementsAre;
using testing::gzipped;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::TarBuilder;
using ::testing::UnorderedElementsAre;

/// Unpacks into a tree of the test kit.
class Unpack : public ::testing::Test {
 protected:
  Outcome<Tarball> run(std::string_view bytes,
                       const package_source::UnpackLimits& limits = kTarballLimits) {
    Tree tree(tree_.get());
    const auto file = package_source::File::in_memory();
    EXPECT_TRUE(file.write(0, bytes));
    return unpack(file, limits, Call(call_.get()), tree);
  }
  /// The failure's message.
  std::string refused(std::string_view bytes,
                      const package_source::UnpackLimits& limits = kTarballLimits) {
    const auto out = run(bytes, limits);
    status_ = out ? QUARRY_OK : out.failure().status;
    return out ? "accepted" : out.failure().message;
  }

  quarry::testing::Tree tree_;
  quarry::testing::FakeCall call_;
  quarry_status status_ = QUARRY_OK;
};

TEST_F(Unpack, TakesTheFirstPartFromEachPath) {
  const auto out = run(testing::small_package());
  ASSERT_TRUE(out);
  EXPECT_EQ(out->files, 3u);
  EXPECT_THAT(out->readme, HasSubstr("It adds numbers."));
  EXPECT_THAT(out->package_json, HasSubstr("\"small\""));
  EXPECT_THAT(out->names, UnorderedElementsAre("package.json", "readme.md", "lib"));
  EXPECT_THAT(out->notes, IsEmpty());
  EXPECT_EQ(tree_.files.at("lib/index.js"), "export const add = (a, b) => a + b;\n");
  EXPECT_EQ(tree_.files.size(), 3u);
}

TEST_F(Unpack, TakesPathsInWhateverFormTheyStand) {
  const std::string long_name = "package/" + std::string(300, 'n');
  ASSERT_TRUE(run(TarBuilder()
                      .entry('5', "package/", "")
                      .entry('5', "package/empty/", "")
                      .file("./package/./a//b.js", "1")
                      .file("other-folder/c.js", "2")
                      .pax_file(long_name + "p", "3")
                      .gnu_file(long_name + "g", "4")
                      .pax_file("package/\xc3\xa4/\xff", "5")
                      .file("package/new\nline and space", "6")
                      .entry('\0', "package/old.js", "7")
                      .file("package/Case.js", "8")
                      .file("package/case.js", "9")
                      .packed()));
  EXPECT_THAT(tree_.files, ElementsAre(Pair("Case.js", "8"), Pair("a/b.js", "1"), Pair("c.js", "2"),
                                       Pair("case.js", "9"), Pair("new\nline and space", "6"),
                                       Pair(std::string(300, 'n') + "g", "4"),
                                       Pair(std::string(300, 'n') + "p", "3"), Pair("old.js", "7"),
                                       Pair("\xc3\xa4/\xff", "5")));
}

TEST_F(Unpack, ListsLargeFilesWithoutTheirBytes) {
  const std::string large((std::size_t{4} << 20) + 1, 'x');
  const auto out =
      run(TarBuilder().file("package/large.bin", large).file("package/a", "1").packed());
  ASSERT_TRUE(out);
  EXPECT_EQ(out->files, 2u);
  EXPECT_THAT(tree_.large, ElementsAre(Pair("large.bin", large.size())));
  EXPECT_THAT(tree_.files, ElementsAre(Pair("a", "1")));
}

TEST_F(Unpack, ListsSymbolicLinksAndLeavesHardLinksOut) {
  const auto out = run(TarBuilder()
                           .file("package/a.js", "1")
                           .entry('2', "package/passwd", "", "/etc/passwd")
                           .entry('2', "package/up", "", "../../..")
                           .entry('1', "package/hard", "", "/etc/shadow")
                           .file("package/up/b.js", "2")
                           .packed());
  ASSERT_TRUE(out);
  EXPECT_THAT(tree_.links, ElementsAre("passwd", "up"));
  EXPECT_THAT(tree_.files, ElementsAre(Pair("a.js", "1"), Pair("up/b.js", "2")));
  EXPECT_THAT(out->notes,
              ElementsAre("2 symbolic links are listed, and not followed, such as passwd.",
                          "1 hard link was left out, as npm does, such as hard."));
}

TEST_F(Unpack, RefusesWhatNoPackageNeeds) {
  const auto refuses = [&](const TarBuilder& builder, const char* why) {
    EXPECT_THAT(refused(builder.packed()), HasSubstr(why));
    EXPECT_EQ(status_, QUARRY_PERMISSION_DENIED);
    tree_.clear();
  };
  refuses(TarBuilder().file("package/../../evil", "x"),
          "\"package/../../evil\", which leads out of it");
  refuses(TarBuilder().file("../evil", "x"), "leads out of it");
  refuses(TarBuilder().file("/etc/cron.d/evil", "x"),
          "\"/etc/cron.d/evil\", which leads out of it");
  refuses(TarBuilder().pax_file("package/a/../../../b", "x"), "leads out of it");
  refuses(TarBuilder().gnu_file("/absolute", "x"), "leads out of it");
  refuses(TarBuilder().entry('3', "package/null", ""), "device or pipe \"package/null\"");
  refuses(TarBuilder().entry('4', "package/sda", ""), "device or pipe");
  refuses(TarBuilder().entry('6', "package/pipe", ""), "device or pipe");
  refuses(TarBuilder().entry('2', "../../link", "", "x"), "leads out of it");
  EXPECT_THAT(tree_.files, IsEmpty());
}

TEST_F(Unpack, RefusesWhatIsNoTarball) {
  for (const std::string& bytes : {std::string(), std::string("<html>not found</html>"),
                                   gzipped("no tar at all"), gzipped(std::string(1024, '\0'))}) {
    EXPECT_THAT(refused(bytes), HasSubstr("the tarball is refused"));
    EXPECT_EQ(status_, QUARRY_DATA_LOSS);
  }
  EXPECT_THAT(refused(gzipped(std::string(1024, '\0'))), HasSubstr("it is empty"));
}

TEST_F(Unpack, RefusesOneThatIsCutAnywhere) {
  const std::string whole = testing::small_package();
  ASSERT_TRUE(run(whole));
  for (std::size_t size = 0; size + 40 < whole.size(); size += 3) {
    EXPECT_NE(refused(std::string_view(whole).substr(0, size)), "accepted") << size;
    EXPECT_EQ(status_, QUARRY_DATA_LOSS) << size;
  }
  EXPECT_THAT(refused(TarBuilder().entry('0', "package/a", "short", "", 5000).packed()),
              HasSubstr("the tarball is refused"));
}

TEST_F(Unpack, TakesATarThatNobodyPacked) {
  EXPECT_TRUE(run(TarBuilder().file("package/a", "1").tar()));
  EXPECT_THAT(tree_.files, ElementsAre(Pair("a", "1")));
}

TEST_F(Unpack, LetsWhatStandsBehindTheArchiveBe) {
  EXPECT_TRUE(run(testing::small_package() + "trailing garbage"));
  EXPECT_TRUE(run(gzipped(TarBuilder().file("package/a", "1").tar() + "garbage")));
}

TEST_F(Unpack, KeepsTheFirstOfTwoFilesAtOnePathAndSaysSo) {
  const auto out =
      run(TarBuilder().file("package/a.js", "first").file("package/./a.js", "second").packed());
  ASSERT_TRUE(out);
  EXPECT_THAT(tree_.files, ElementsAre(Pair("a.js", "first")));
  EXPECT_THAT(out->notes, ElementsAre(HasSubstr("more than once; the first one counts")));
}

TEST_F(Unpack, LeavesOutWhatTheTreeCannotHoldAndSaysSo) {
  std::string deep = "package";
  for (int level = 0; level < 64; ++level) deep += "/d";
  const auto out = run(TarBuilder()
                           .file("package/a/b/c", "1")
                           .pax_file(deep + "/x", "2")
                           .pax_file("package/" + std::string(300, 'n'), "3")
                           .pax_file("package/" + std::string(5000, 'n'), "4")
                           .file("at-the-root", "5")
                           .packed());
  ASSERT_TRUE(out);
  EXPECT_THAT(tree_.files, ElementsAre(Pair("a/b/c", "1"), Pair(std::string(300, 'n'), "3")));
  EXPECT_THAT(out->notes,
              ElementsAre(HasSubstr("outside the package's folder"),
                          HasSubstr("2 files were left out because their paths are too long")));
}

TEST_F(Unpack, RefusesABombAndAddsNothingOfIt) {
  package_source::UnpackLimits limits = kTarballLimits;
  limits.always_bytes = 1 << 20;
  const std::string zeros(std::size_t{32} << 20, '\0');
  const std::string bomb =
      TarBuilder().file("package/good", "1").file("package/bomb", zeros).packed();
  EXPECT_THAT(refused(bomb, limits), HasSubstr("unpacks to more than 200 times its size of "));
  EXPECT_EQ(status_, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_THAT(tree_.large, IsEmpty());
  EXPECT_THAT(tree_.files, IsEmpty());
  limits = kTarballLimits;
  limits.bytes = 1 << 20;
  EXPECT_THAT(refused(bomb, limits), HasSubstr("unpacks to more than 1048576 bytes"));
  EXPECT_THAT(refused(TarBuilder().entry('0', "package/x", "", "", 07777777777).packed(), limits),
              HasSubstr("unpacks to more than 1048576 bytes"));
  EXPECT_THAT(tree_.files, IsEmpty());
  limits = kTarballLimits;
  limits.entries = 2;
  EXPECT_THAT(refused(testing::small_package(), limits),
              HasSubstr("unpacks to more than 2 entries"));
  EXPECT_THAT(tree_.files, IsEmpty());
}

TEST_F(Unpack, RefusesABombOfManyFiles) {
  TarBuilder tar;
  const std::string zeros(std::size_t{1} << 20, '\0');
  for (int i = 0; i < 70; ++i) tar.file("package/" + std::to_string(i), zeros);
  EXPECT_THAT(refused(tar.packed()), HasSubstr("unpacks to more than 200 times its size of "));
  EXPECT_THAT(tree_.files, IsEmpty());
}

TEST_F(Unpack, RefusesOneThatIsCompressedTwice) {
  EXPECT_THAT(refused(gzipped(testing::small_package())), HasSubstr("compressed more than once"));
}

TEST_F(Unpack, StopsWhenNobodyWantsItAnyMore) {
  const std::string large(std::size_t{8} << 20, 'x');
  const std::string packed =
      TarBuilder().file("package/a", "1").file("package/b", "2").file("package/c", large).packed();
  for (int looks = 0; looks < 5; ++looks) {
    call_.cancel_after(looks);
    EXPECT_EQ(refused(packed), "cancelled") << looks;
    EXPECT_EQ(status_, QUARRY_CANCELLED);
    tree_.clear();
  }
}

TEST_F(Unpack, StopsWhenTheTreeTakesNoMore) {
  tree_.refuse_after(1);
  EXPECT_NE(refused(testing::small_package()), "accepted");
  EXPECT_EQ(tree_.files.size(), 1u);
}

TEST_F(Unpack, PrefersAMarkdownReadmeOfTheRoot) {
  const auto out = run(TarBuilder()
                           .file("package/docs/README.md", "docs")
                           .file("package/readme.txt", "text")
                           .file("package/ReadMe.MD", "markdown")
                           .file("package/README", "plain")
                           .packed());
  ASSERT_TRUE(out);
  EXPECT_EQ(out->readme, "markdown");
}

/// `packed`, fed in pieces of `size`, decompressed; nullopt when it is incomplete.
std::optional<std::string> unpacked(std::string_view packed, std::size_t size, std::size_t most) {
  Gunzip gunzip;
  std::string out;
  const auto take = [&](std::string_view bytes) {
    out += bytes;
    return out.size() <= most;
  };
  for (; !packed.empty(); packed.remove_prefix(std::min(size, packed.size()))) {
    if (!gunzip.feed(packed.substr(0, size), take)) return std::nullopt;
  }
  return gunzip.whole() ? std::optional(out) : std::nullopt;
}

TEST(Gunzip, UndoesGzipWithinALimit) {
  const std::string text(300'000, 'x');
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
    EXPECT_EQ(unpacked(gzipped(text), size, text.size()), text);
    EXPECT_FALSE(unpacked(gzipped(text), size, text.size() - 1));
    EXPECT_FALSE(unpacked(gzipped(text).substr(0, 50), size, text.size()));
    EXPECT_FALSE(unpacked("no gzip", size, 100));
    EXPECT_FALSE(unpacked("", size, 100));
    EXPECT_EQ(unpacked(gzipped(text) + "more", size, text.size()), text);
  }
}

}  // namespace
}  // namespace quarry::resource_npm
