#include "resource-npm/download.h"

#include "resource-npm/file.h"
#include "resource-npm/testing/registry_host.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>

namespace quarry::resource_npm {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kUrl = "https://r/a.tgz";

class DownloadTest : public ::testing::Test {
 protected:
  /// The size as text, or the failure's message.
  std::string run(const std::vector<Integrity>& integrities) {
    const Asked asked{"a", "https://r/", "the tarball of a 1.0.0", false, {}};
    const auto size = download(host_.host(), Call(host_.call.get()), {"GET", kUrl, {}, {}}, asked,
                               integrities, path_);
    return size ? std::to_string(*size) + " bytes" : size.failure().message;
  }
  static std::vector<Integrity> of(std::string_view bytes) {
    return {*Integrity::parse(testing::sha512_of(bytes))};
  }

  testing::RegistryHost host_;
  fs::path path_ = host_.directory.path() / "a.tgz";
};

TEST_F(DownloadTest, KeepsWhatIsWhatItShouldBe) {
  host_.http.piece = 3;
  host_.answer(kUrl, 200, "some bytes");
  EXPECT_EQ(run(of("some bytes")), "10 bytes");
  EXPECT_EQ(Mapped(path_).bytes(), "some bytes");
  EXPECT_EQ(fs::status(path_).permissions() & fs::perms(077), fs::perms::none);
}

TEST_F(DownloadTest, ChecksEachIntegrity) {
  auto both = of("abc");
  both.push_back(*Integrity::of_shasum("a9993e364706816aba3e25717850c26c9cd0d89d"));
  host_.answer(kUrl, 200, "abc");
  EXPECT_EQ(run(both), "3 bytes");
  fs::remove(path_);
  both.front() = of("abd").front();
  EXPECT_THAT(run(both), AllOf(HasSubstr("its integrity is " + testing::sha512_of("abc")),
                               HasSubstr("must be " + testing::sha512_of("abd"))));
  fs::remove(path_);
  both = of("abc");
  both.push_back(*Integrity::of_shasum("0000000000000000000000000000000000000000"));
  EXPECT_THAT(run(both), HasSubstr("must be sha1-AAAA"));
}

TEST_F(DownloadTest, ReportsEachMegabyteAndTheEnd) {
  const std::string body((std::size_t{5} << 19) + 7, 'x');  // a little over 2.5 MiB
  host_.http.piece = 1 << 18;
  host_.answer(kUrl, 200, body, {{"Content-Length", std::to_string(body.size()), {}}});
  EXPECT_EQ(run(of(body)), std::to_string(body.size()) + " bytes");
  const std::string total = "\"total\":" + std::to_string(body.size());
  EXPECT_THAT(host_.call.progress,
              ElementsAre(AllOf(HasSubstr("\"done\":1048576,"), HasSubstr(total)),
                          AllOf(HasSubstr("\"done\":2097152,"), HasSubstr(total)),
                          AllOf(HasSubstr("\"done\":2621447,"), HasSubstr(total))));
}

TEST_F(DownloadTest, IsNeverWrittenOverAnotherFile) {
  std::ofstream(path_) << "there";
  host_.answer(kUrl, 200, "new");
  EXPECT_THAT(run(of("new")), HasSubstr("File exists"));
  EXPECT_EQ(Mapped(path_).bytes(), "there");
  EXPECT_EQ(host_.requests(), 0u);
}

TEST_F(DownloadTest, TellsOfAnErrorOnlyItsBeginning) {
  host_.answer(kUrl, 500, std::string(std::size_t{1} << 20, 'x'));
  EXPECT_THAT(run(of("new")), AllOf(HasSubstr("HTTP 500"), SizeIs(::testing::Lt(1000u))));
  EXPECT_EQ(Mapped(path_).bytes(), "");
}

class FileTest : public ::testing::Test {
 protected:
  testing::TempDirectory directory_;
  fs::path path_ = directory_.path() / "file";
};

TEST_F(FileTest, IsReadWholeOrNotAtAll) {
  std::ofstream(path_) << "12345";
  const auto read = [&](std::size_t most) {
    const File file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    return read_whole(file.get(), most);
  };
  EXPECT_EQ(read(5), "12345");
  EXPECT_FALSE(read(4));
  EXPECT_FALSE(read_whole(-1, 5));
}

TEST_F(FileTest, IsNotMappedThroughALinkNorWhenItIsMissing) {
  EXPECT_EQ(Mapped(path_).bytes(), "");
  std::ofstream(directory_.path() / "target") << "secret";
  fs::create_symlink(directory_.path() / "target", path_);
  EXPECT_EQ(Mapped(path_).bytes(), "");
  EXPECT_EQ(Mapped(directory_.path() / "target").bytes(), "secret");
}

TEST_F(FileTest, IsNotWrittenToAFullDisk) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const File full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(write_whole(full.get(), "x"));
  EXPECT_EQ(errno, ENOSPC);
}

TEST_F(FileTest, ClosesItsDescriptorOnce) {
  File one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int fd = one.get();
  {
    const File two(std::move(one));
    EXPECT_EQ(two.get(), fd);
    EXPECT_FALSE(one);
    EXPECT_EQ(::fcntl(fd, F_GETFD), FD_CLOEXEC);
  }
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
}

}  // namespace
}  // namespace quarry::resource_npm
