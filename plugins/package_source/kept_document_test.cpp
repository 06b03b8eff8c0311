#include "package_source/kept_document.h"

#include <quarry/testing.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

namespace quarry::package_source {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class KeptDocumentTest : public ::testing::Test {
 protected:
  KeptDocumentTest() { fake_.offer(QUARRY_PATHS, paths_.get()); }

  std::string keep(const std::string& body) {
    return keep_document(host_, "name", {body, {"\"" + body + "\"", {}}});
  }
  std::string kept(const std::string& name = "name") {
    const auto document = kept_document(host_, name);
    if (!document) return "none";
    EXPECT_EQ(document->validators.etag, "\"" + document->body + "\"");
    return document->body;
  }

  quarry::testing::FakeHost fake_;
  quarry::testing::FakePaths paths_;
  Host host_{fake_.get()};
  fs::path entry_ = paths_.cache() / "name";
};

TEST_F(KeptDocumentTest, IsThereAgain) {
  EXPECT_EQ(kept(), "none");
  EXPECT_EQ(keep("one\ntwo"), "");
  EXPECT_EQ(kept(), "one\ntwo");
  EXPECT_EQ(keep("two"), "");
  EXPECT_EQ(kept(), "two");
  EXPECT_EQ(kept("another"), "none");
  EXPECT_EQ(fs::status(entry_).permissions() & fs::perms(077), fs::perms::none);
}

TEST_F(KeptDocumentTest, IsYoungAgainWhenItIsUsed) {
  ASSERT_EQ(keep("one"), "");
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  fs::last_write_time(entry_, long_ago);
  EXPECT_EQ(kept(), "one");
  EXPECT_GT(fs::last_write_time(entry_), long_ago);
}

TEST_F(KeptDocumentTest, ThatSaysAnythingElseThanWasWrittenIsNone) {
  ASSERT_EQ(keep("one"), "");
  std::ifstream in(entry_ / "document", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] ^= 1;
    std::ofstream(entry_ / "document", std::ios::binary) << bad;
    EXPECT_EQ(kept(), "none") << "byte " << at;
  }
  EXPECT_EQ(keep("two"), "");
  EXPECT_EQ(kept(), "two");
}

TEST_F(KeptDocumentTest, TakesThePlaceOfWhateverStandsThere) {
  ASSERT_EQ(keep("one"), "");
  fs::remove(entry_ / "document");
  fs::create_directories(entry_ / "document/no");
  EXPECT_EQ(keep("two"), "");
  EXPECT_EQ(kept(), "two");
  fs::remove_all(entry_);
  std::ofstream(entry_) << "no directory";
  EXPECT_EQ(kept(), "none");
  EXPECT_EQ(keep("three"), "");
  EXPECT_EQ(kept(), "three");
}

TEST_F(KeptDocumentTest, SurvivesAHalfWrittenSuccessor) {
  ASSERT_EQ(keep("one"), "");
  std::ofstream(entry_ / ".document") << "half";
  EXPECT_EQ(kept(), "one");
  EXPECT_EQ(keep("two"), "");
  EXPECT_EQ(kept(), "two");
}

TEST_F(KeptDocumentTest, IsNotReadThroughALink) {
  ASSERT_EQ(keep("one"), "");
  fs::rename(entry_, paths_.cache() / "elsewhere");
  fs::create_directory_symlink(paths_.cache() / "elsewhere", entry_);
  EXPECT_EQ(kept(), "none");
}

TEST_F(KeptDocumentTest, SaysWhatFailed) {
  const quarry_paths_v1 nowhere{
      sizeof nowhere, nullptr, [](const quarry_paths_v1*) { return as_text("/nowhere"); }, nullptr};
  fake_.offer(QUARRY_PATHS, &nowhere);
  EXPECT_THAT(keep("one"), HasSubstr("/nowhere cannot be written: No such file or directory"));
  fake_.offer(QUARRY_PATHS, nullptr);
  EXPECT_EQ(keep("one"), "");
  EXPECT_EQ(kept(), "none");
}

}  // namespace
}  // namespace quarry::package_source
