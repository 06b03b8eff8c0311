#include "resource-git/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(GitNotes, AreNoneWhenNothingIsLeftOut) {
  EXPECT_THAT(Notes().sentences(), IsEmpty());
}

TEST(GitNotes, NameWhatIsLeftOut) {
  Notes notes;
  notes.add_submodule("vendor/x", std::string(40, '1'));
  notes.set_modules("[submodule \"x\"]\n\tpath = vendor/x\n\turl = https://example.org/x.git\n");
  notes.add_lfs_pointer("a.bin", 30'000'000);
  notes.add_lfs_pointer("b.bin", 1);
  notes.add_link();
  notes.add_unfit();
  notes.add_missing_path("gone");
  EXPECT_THAT(
      notes.sentences(),
      ElementsAre("Of the search paths there is nothing at gone.",
                  "Submodule vendor/x (https://example.org/x.git) at 1111111 is not part of this "
                  "snapshot.",
                  "Of files kept by Git LFS only the pointers are here, not their 30 MB: a.bin, "
                  "b.bin.",
                  "1 symbolic link is listed but not followed.",
                  "1 entries whose paths are unsafe, or too long or deep, were left out."));
}

TEST(GitNotes, StayFewAndShort) {
  Notes notes;
  for (int i = 0; i < 1000; ++i) {
    notes.add_submodule(std::string(400, 'd') + std::to_string(i), std::string(40, '1'));
    notes.add_lfs_pointer(std::string(400, 'f') + std::to_string(i), 1);
    notes.add_missing_path(std::string(200, 'p'));
    notes.add_link();
  }
  const auto sentences = notes.sentences();
  EXPECT_LE(sentences.size(), 20u);
  for (const std::string& sentence : sentences) EXPECT_LE(sentence.size(), 300u) << sentence;
  EXPECT_THAT(sentences, ::testing::Contains(HasSubstr("990 more submodules")));
}

TEST(GitNotes, TellNoControlCharacters) {
  Notes notes;
  notes.add_submodule("a\n\x1b[31m\xff", std::string(40, '1'));
  EXPECT_THAT(notes.sentences(), ElementsAre(HasSubstr("a??[31m?")));
}

TEST(GitModules, AreReadWithoutGit) {
  EXPECT_THAT(
      parse_modules("# comment\n[submodule \"a\"]\n  url = \"https://example.org/a b\"\n"
                    "  path = a\n[submodule \"b\"]\n\tpath=b\n\turl=../b.git\n"
                    "[submodule \"c\"]\n\tpath = c\n"
                    "[submodule \"d\"]\n\tpath = d\n\turl = https://me:word@example.org/d\n"),
      ElementsAre(Pair("a", "https://example.org/a b"), Pair("b", "../b.git")));
  EXPECT_THAT(parse_modules("garbage\n[[[[\n=\n= x\npath"), IsEmpty());
}

}  // namespace
}  // namespace quarry::resource_git
