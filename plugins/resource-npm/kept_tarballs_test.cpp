#include "resource-npm/kept_tarballs.h"

#include "resource-npm/testing/registry_host.h"

#include <fcntl.h>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/file.h>

namespace quarry::resource_npm {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<Integrity> of(std::string_view bytes) {
  return {*Integrity::parse(testing::sha512_of(bytes))};
}

class KeptTarballsTest : public ::testing::Test {
 protected:
  void keep(const std::string& bytes, bool under_its_own = true) {
    CacheEntry entry = kept_.begin();
    ASSERT_TRUE(entry);
    std::ofstream(KeptTarballs::file_of(entry)) << bytes;
    kept_.keep(entry, of(under_its_own ? bytes : "another"));
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(cache_.path())) {
      out.push_back(entry.path().filename());
    }
    return out;
  }

  testing::TempDirectory cache_;
  KeptTarballs kept_{cache_.path(), "", "https://r/"};
};

TEST_F(KeptTarballsTest, AreFoundByTheirIntegrity) {
  EXPECT_EQ(kept_.find(of("bytes")).bytes(), "");
  keep("bytes");
  EXPECT_EQ(kept_.find(of("bytes")).bytes(), "bytes");
  EXPECT_EQ(kept_.find(of("others")).bytes(), "");
}

TEST_F(KeptTarballsTest, AreNotFoundByAnotherReaderNorForAnotherRegistry) {
  keep("bytes");
  for (const auto& [reader, registry] :
       {std::pair("projects\n", "https://r/"), std::pair("token", "https://r/"),
        std::pair("", "https://other/")}) {
    const KeptTarballs others(cache_.path(), reader, registry);
    EXPECT_EQ(others.find(of("bytes")).bytes(), "") << reader << registry;
  }
}

TEST_F(KeptTarballsTest, AreWhatEveryIntegritySays) {
  keep("bytes");
  auto both = of("bytes");
  Hasher sha1("sha1");
  sha1.add("bytes");
  both.push_back(*Integrity::parse(sha1.finish()));
  EXPECT_EQ(kept_.find(both).bytes(), "bytes");
  both.back() = *Integrity::of_shasum("a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(kept_.find(both).bytes(), "");
}

TEST_F(KeptTarballsTest, ThatAreDamagedAreReplacedByGoodOnes) {
  keep("damaged", false);
  EXPECT_EQ(kept_.find(of("another")).bytes(), "");
  keep("another");
  EXPECT_EQ(kept_.find(of("another")).bytes(), "another");
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(KeptTarballsTest, TakeThePlaceOfWhateverStandsThere) {
  keep("bytes");
  const fs::path entry = cache_.path() / names().front();
  fs::remove(entry / "package.tgz");
  fs::create_directories(entry / "package.tgz/no");
  EXPECT_EQ(kept_.find(of("bytes")).bytes(), "");
  keep("bytes");
  EXPECT_EQ(kept_.find(of("bytes")).bytes(), "bytes");
  fs::remove_all(entry);
  std::ofstream(entry) << "no directory";
  EXPECT_EQ(kept_.find(of("bytes")).bytes(), "");
  keep("bytes");
  EXPECT_EQ(kept_.find(of("bytes")).bytes(), "bytes");
}

TEST_F(KeptTarballsTest, ThatAreGivenUpLeaveNothingBehind) {
  {
    const CacheEntry entry = kept_.begin();
    std::ofstream(KeptTarballs::file_of(entry)) << "half";
    ASSERT_EQ(names().size(), 1u);
    EXPECT_THAT(names().front(), StartsWith("."));
  }
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(KeptTarballsTest, BroughtByTwoAtOnceAreKeptOnce) {
  CacheEntry one = kept_.begin(), two = kept_.begin();
  for (CacheEntry* entry : {&one, &two}) {
    std::ofstream(KeptTarballs::file_of(*entry)) << "bytes";
    kept_.keep(*entry, of("bytes"));
  }
  one = {};
  two = {};
  EXPECT_EQ(kept_.find(of("bytes")).bytes(), "bytes");
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(KeptTarballsTest, AreLockedWhileTheyAreRead) {
  keep("bytes");
  const fs::path entry = cache_.path() / names().front();
  const File other(::open(entry.c_str(), O_RDONLY | O_DIRECTORY));
  {
    const Packed read = kept_.find(of("bytes"));
    EXPECT_NE(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(read.bytes(), "bytes");
  }
  EXPECT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
}

TEST_F(KeptTarballsTest, WithoutACacheAreNone) {
  const KeptTarballs none{fs::path(), "", ""};
  EXPECT_EQ(none.find(of("bytes")).bytes(), "");
  EXPECT_FALSE(none.begin());
  EXPECT_FALSE(KeptTarballs("/nowhere", "", "").begin());
}

}  // namespace
}  // namespace quarry::resource_npm
