#include "resource-npm/kept_packuments.h"

#include "resource-npm/testing/registry_host.h"

#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace quarry::resource_npm {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kPackument = "https://registry.npmjs.org/react";

Packument packument(const std::string& etag) {
  Packument out;
  out.name = "react";
  out.etag = etag;
  out.releases["1.0.0"] = {"t", "", ""};
  return out;
}

class KeptPackumentsTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string etag(const std::string& url = kPackument) const {
    const auto loaded = kept_.load(url);
    return loaded ? loaded->etag : "none";
  }
  [[nodiscard]] std::vector<fs::path> entries() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(cache_.path())) out.push_back(entry.path());
    return out;
  }

  testing::TempDirectory cache_;
  KeptPackuments kept_{cache_.path()};
};

TEST_F(KeptPackumentsTest, AreThereAgain) {
  EXPECT_EQ(etag(), "none");
  EXPECT_EQ(kept_.store(kPackument, packument("one")), "");
  EXPECT_EQ(etag(), "one");
  EXPECT_EQ(kept_.store(kPackument, packument("two")), "");
  EXPECT_EQ(etag(), "two");
  EXPECT_EQ(etag("https://other/react"), "none");
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(KeptPackumentsTest, AreNotThereForAnotherReader) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  for (const char* reader : {"projects\n", "token"}) {
    EXPECT_FALSE(KeptPackuments(cache_.path(), reader).load(kPackument)) << reader;
  }
}

TEST_F(KeptPackumentsTest, AreEntriesThatNobodyElseMayRead) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  const fs::path entry = entries().front();
  EXPECT_TRUE(fs::is_directory(entry));
  EXPECT_NE(entry.filename().string()[0], '.');
  EXPECT_EQ(fs::status(entry).permissions() & fs::perms(077), fs::perms::none);
}

TEST_F(KeptPackumentsTest, AreYoungAgainWhenTheyAreUsed) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  const fs::path entry = entries().front();
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  fs::last_write_time(entry, long_ago);
  EXPECT_EQ(etag(), "one");
  EXPECT_GT(fs::last_write_time(entry), long_ago);
}

TEST_F(KeptPackumentsTest, MayBeRemovedAtAnyTime) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  fs::remove_all(entries().front());
  EXPECT_EQ(etag(), "none");
  EXPECT_EQ(kept_.store(kPackument, packument("two")), "");
  EXPECT_EQ(etag(), "two");
}

TEST_F(KeptPackumentsTest, ThatAreDamagedAreNone) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  std::ofstream(entries().front() / "packument.json") << "{\"versions\":";
  EXPECT_EQ(etag(), "none");
  EXPECT_EQ(kept_.store(kPackument, packument("two")), "");
  EXPECT_EQ(etag(), "two");
}

TEST_F(KeptPackumentsTest, ThatSayAnythingElseThanWasWrittenAreNone) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  const fs::path file = entries().front() / "packument.json";
  std::ifstream in(file, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] ^= 1;
    std::ofstream(file, std::ios::binary) << bad;
    EXPECT_EQ(etag(), "none") << "byte " << at;
  }
}

TEST_F(KeptPackumentsTest, TakeThePlaceOfWhateverStandsThere) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  const fs::path entry = entries().front();
  fs::remove(entry / "packument.json");
  fs::create_directories(entry / "packument.json/no");
  EXPECT_EQ(kept_.store(kPackument, packument("two")), "");
  EXPECT_EQ(etag(), "two");
  fs::remove_all(entry);
  std::ofstream(entry) << "no directory";
  EXPECT_EQ(etag(), "none");
  EXPECT_EQ(kept_.store(kPackument, packument("three")), "");
  EXPECT_EQ(etag(), "three");
}

TEST_F(KeptPackumentsTest, SurviveAHalfWrittenSuccessor) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  std::ofstream(entries().front() / ".packument.json") << "half";
  EXPECT_EQ(etag(), "one");
  EXPECT_EQ(kept_.store(kPackument, packument("two")), "");
  EXPECT_EQ(etag(), "two");
}

TEST_F(KeptPackumentsTest, AreNotReadThroughALink) {
  ASSERT_EQ(kept_.store(kPackument, packument("one")), "");
  const fs::path entry = entries().front();
  fs::rename(entry, cache_.path() / "elsewhere");
  fs::create_directory_symlink(cache_.path() / "elsewhere", entry);
  EXPECT_EQ(etag(), "none");
}

TEST_F(KeptPackumentsTest, SayWhatFailed) {
  EXPECT_THAT(KeptPackuments("/nowhere").store(kPackument, packument("one")),
              HasSubstr("/nowhere cannot be written: No such file or directory"));
  EXPECT_EQ(KeptPackuments({}).store(kPackument, packument("one")), "");
  EXPECT_FALSE(KeptPackuments({}).load(kPackument));
}

}  // namespace
}  // namespace quarry::resource_npm
