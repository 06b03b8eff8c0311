#include "package_source/unpack.h"

#include <quarry/testing.hpp>

#include <algorithm>
#include <archive.h>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include <gmock/gmock.h>

namespace quarry::package_source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using UnpackedFiles = std::map<std::string, std::string>;

struct Entry {
  std::string path;
  std::string text = {};
  char type = '0';  ///< as in the header: '1' hard link, '2' symbolic link, '5' folder, '6' pipe
  std::string target = {};
};

File tar_of(const std::vector<Entry>& entries) {
  constexpr std::size_t kBlock = 512;
  std::string bytes;
  for (const Entry& entry : entries) {
    std::array<char, kBlock> header{};
    entry.path.copy(header.data(), 100);
    std::snprintf(&header[100], 9, "%07o", 0644U);
    std::snprintf(&header[124], 12, "%011zo", entry.text.size());
    header[156] = entry.type;
    entry.target.copy(&header[157], 100);
    std::fill_n(&header[148], 8, ' ');
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(&header[148], 8, "%06o", sum);
    bytes.append(header.data(), kBlock).append(entry.text);
    bytes.resize((bytes.size() + kBlock - 1) / kBlock * kBlock);
  }
  File file = File::in_memory();
  EXPECT_TRUE(file.write(0, bytes + std::string(2 * kBlock, '\0')));
  return file;
}

class UnpackTest : public ::testing::Test {
 protected:
  UnpackTest() { rules_.limits = {.entries = 100, .bytes = std::uint64_t{1} << 30}; }

  /// The notes, or what is refused.
  std::vector<std::string> run(const std::vector<Entry>& entries) {
    tree_.clear();
    const File file = tar_of(entries);
    const Call call(call_.get());
    const ArchiveFile archive{
        call, file, {archive_read_support_format_tar}, false, [](Fault, const std::string& what) {
          return Failure{QUARRY_DATA_LOSS, "it " + what, {}, {}};
        }};
    Tree tree(tree_.get());
    TreeSink sink(tree);
    const auto unpacked = unpack(archive, rules_, sink);
    if (!unpacked) return {unpacked.failure().message};
    root_ = unpacked->root;
    return unpacked->notes();
  }

  UnpackRules rules_;
  quarry::testing::Tree tree_;
  quarry::testing::FakeCall call_;
  std::string root_;
};

TEST_F(UnpackTest, LosesTheOneFolderThatEverythingLiesIn) {
  rules_.strip_root = true;
  EXPECT_THAT(run({{"p/a", "1"}, {"./p/b/c", "2"}, {"p/l", "", '2'}}), IsEmpty());
  EXPECT_EQ(tree_.files, (UnpackedFiles{{"a", "1"}, {"b/c", "2"}}));
  EXPECT_THAT(tree_.links, ElementsAre("l"));
  EXPECT_EQ(root_, "p");
  for (const Entry& other : {Entry{"q", "2"}, Entry{"q/", "", '5'}}) {
    run({{"p/a", "1"}, other});
    EXPECT_EQ(tree_.files.count("p/a"), 1u) << other.type;
    EXPECT_EQ(root_, "");
  }
  run({{"p", "1"}});
  EXPECT_EQ(tree_.files, (UnpackedFiles{{"p", "1"}}));
}

TEST_F(UnpackTest, EndsAtARefusedMemberAndAddsNothing) {
  const Entry good{"good", "1"};
  const std::vector<std::pair<bool RefusedMembers::*, std::vector<Entry>>> kinds{
      {&RefusedMembers::absolute, {good, {"/a", "2"}}},
      {&RefusedMembers::outside, {good, {"a/../../b", "2"}}},
      {&RefusedMembers::devices, {good, {"a", "", '6'}}},
      {&RefusedMembers::dangling, {good, {"a", "", '1', "none"}}},
      {&RefusedMembers::clashes, {good, {"good/a", "2"}}}};
  for (const auto& [kind, entries] : kinds) {
    rules_.refused = {};
    run(entries);
    EXPECT_EQ(tree_.files["good"], "1");
    rules_.refused.*kind = true;
    EXPECT_THAT(run(entries), ElementsAre(HasSubstr("it has ")));
    EXPECT_THAT(tree_.files, IsEmpty());
  }
}

TEST_F(UnpackTest, TakesTheLastOfSeveralMembersOrTheFirst) {
  const std::vector<Entry> entries{{"a", "1"}, {"h", "", '1', "a"}, {"./a", "2"}};
  EXPECT_THAT(run(entries), ElementsAre(HasSubstr("the last one counts")));
  EXPECT_EQ(tree_.files, (UnpackedFiles{{"a", "2"}, {"h", "1"}}));
  rules_.first_counts = true;
  rules_.hard_links = false;
  EXPECT_THAT(run(entries), ElementsAre(HasSubstr("the first one counts")));
  EXPECT_EQ(tree_.files, (UnpackedFiles{{"a", "1"}}));
}

TEST_F(UnpackTest, LeavesOutAHardLinkToAFileWhosePathIsTooDeep) {
  std::string deep;
  for (int i = 0; i < 64; ++i) deep += "d/";
  deep += std::string("f\0", 2);
  rules_.refused.dangling = true;
  // The entries before a member have its path (L) and its target (K), as GNU tar writes them.
  EXPECT_THAT(run({{"././@LongLink", deep, 'L'},
                   {"d", "1"},
                   {"././@LongLink", deep, 'K'},
                   {"h", "", '1', "d"},
                   {"a", "2"}}),
              ElementsAre(HasSubstr("2 files were left out because their paths are too long")));
  EXPECT_EQ(tree_.files, (UnpackedFiles{{"a", "2"}}));
}

TEST_F(UnpackTest, GivesWhatLiesBeneathAPath) {
  rules_.strip = 1;
  rules_.beneath = "docs";
  run({{"x/docs/a", "1"}, {"x/docs2/b", "2"}, {"docs/c", "3"}});
  EXPECT_EQ(tree_.files, (UnpackedFiles{{"docs/a", "1"}}));
}

TEST_F(UnpackTest, SumsBeforeItAdds) {
  rules_.limits = {.entries = 2, .bytes = 100};
  EXPECT_THAT(run({{"a", "1"}, {"b", "2"}, {"c", "3"}}),
              ElementsAre("it unpacks to more than 2 entries"));
  EXPECT_THAT(run({{"a", std::string(60, 'x')}, {"b", "", '1', "a"}}),
              ElementsAre(HasSubstr("it unpacks to more than 100 bytes")));
  EXPECT_THAT(tree_.files, IsEmpty());
}

}  // namespace
}  // namespace quarry::package_source
