#include "package_source/download.h"

#include "package_source/digest.h"

#include <quarry/testing.hpp>

#include <fstream>

#include <gmock/gmock.h>
#include <sys/file.h>

namespace quarry::package_source {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kUrl = "https://r/a.tgz";

class DownloadTest : public ::testing::Test {
 protected:
  DownloadTest() {
    fake_.offer(QUARRY_HTTP, http_.get());
    fake_.offer(QUARRY_PATHS, paths_.get());
  }
  void answer(std::string body, std::vector<HttpHeader> headers = {}) {
    http_.responses[kUrl] = {200, std::move(headers), std::move(body)};
  }
  Download of(const std::string& bytes) {
    Download out;
    out.request = {"GET", kUrl, {}, {}};
    out.what = "the file";
    out.most = std::uint64_t{4} << 20;
    out.algorithms = {"sha1"};
    out.check = [bytes](const File&, const std::vector<std::string>& digests) -> Problem {
      EXPECT_EQ(digests.size(), 2u);
      if (to_hex(digests[1]) == sha256_hex(bytes)) return std::nullopt;
      return Failure{QUARRY_DATA_LOSS, "not " + bytes, {}, {}};
    };
    out.refused = [](const HttpResponse& response) {
      return Failure{QUARRY_UNAVAILABLE,
                     "HTTP " + std::to_string(response.status) + ", " +
                         std::to_string(response.body.size()) + " bytes",
                     {},
                     {}};
    };
    out.too_large = [] { return Failure{QUARRY_RESOURCE_EXHAUSTED, "too large", {}, {}}; };
    return out;
  }
  /// The content of the entry, or the failure's message.
  std::string run(const std::string& bytes, const std::string& name = "entry") {
    const Call call(call_.get());
    auto slot = obtain({host_, call}, name, of(bytes));
    if (!slot) return slot.failure().message;
    return (*slot).file().read_whole(1 << 20).value_or("unreadable");
  }
  std::vector<fs::path> entries() {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(paths_.cache())) out.push_back(entry.path());
    return out;
  }

  quarry::testing::FakeHost fake_;
  quarry::testing::FakeHttp http_;
  quarry::testing::FakePaths paths_;
  quarry::testing::FakeCall call_;
  Host host_{fake_.get()};
};

TEST_F(DownloadTest, IsKeptAndNotRepeated) {
  http_.piece = 3;
  answer("some bytes");
  EXPECT_EQ(run("some bytes"), "some bytes");
  EXPECT_EQ(run("some bytes"), "some bytes");
  EXPECT_EQ(http_.requests.size(), 1u);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(fs::status(entries()[0]).permissions() & fs::perms(077), fs::perms::none);
  EXPECT_EQ(run("some bytes", "another"), "some bytes");
  EXPECT_EQ(http_.requests.size(), 2u);
}

TEST_F(DownloadTest, ThatFailsItsCheckLeavesNothingBehind) {
  answer("bytes");
  EXPECT_EQ(run("others"), "not others");
  EXPECT_THAT(entries(), IsEmpty());
  answer("<!DOCTYPE html><title>Sign in</title>");
  EXPECT_EQ(run("others"), std::string(kUrl) + " is a web page, \"Sign in\"");
}

TEST_F(DownloadTest, IsRepeatedWhenTheKeptOneIsDamaged) {
  answer("bytes");
  ASSERT_EQ(run("bytes"), "bytes");
  const fs::path file = entries()[0] / "file";
  std::ofstream(file) << "other";
  EXPECT_EQ(run("bytes"), "bytes");
  fs::remove(file);
  fs::create_directories(file / "no");
  EXPECT_EQ(run("bytes"), "bytes");
  fs::remove(file);
  fs::create_symlink("/etc/passwd", file);
  EXPECT_EQ(run("bytes"), "bytes");
  fs::remove_all(file.parent_path());
  std::ofstream(file.parent_path()) << "no directory";
  EXPECT_EQ(run("bytes"), "bytes");
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_EQ(http_.requests.size(), 5u);
}

TEST_F(DownloadTest, IsLockedWhileItIsRead) {
  answer("bytes");
  const Call call(call_.get());
  const auto slot = obtain({host_, call}, "entry", of("bytes"));
  ASSERT_TRUE(slot);
  const int entry = ::open(entries()[0].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_NE(::flock(entry, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(::flock(entry, LOCK_SH | LOCK_NB), 0);
  ::close(entry);
  EXPECT_EQ(run("bytes"), "bytes") << "by another reader at the same time";
}

TEST_F(DownloadTest, ReportsEachMegabyteAndTheEnd) {
  const std::string body((std::size_t{5} << 19) + 7, 'x');  // a little over 2.5 MiB
  http_.piece = 1 << 18;
  answer(body, {{"Content-Length", std::to_string(body.size()), {}}});
  run(body);
  const std::string total = "\"total\":" + std::to_string(body.size());
  EXPECT_THAT(call_.progress, ElementsAre(AllOf(HasSubstr("\"done\":1048576,"), HasSubstr(total)),
                                          AllOf(HasSubstr("\"done\":2097152,"), HasSubstr(total)),
                                          AllOf(HasSubstr("\"done\":2621447,"), HasSubstr(total))));
}

TEST_F(DownloadTest, HasALimit) {
  answer(std::string((std::size_t{4} << 20) + 1, 'x'));
  EXPECT_EQ(run("x"), "too large");
  answer("x", {{"Content-Length", "9999999999", {}}});
  EXPECT_EQ(run("x"), "too large");
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(DownloadTest, KeepsTheBeginningOfAnErrorAlone) {
  http_.responses[kUrl] = {500, {}, std::string(std::size_t{1} << 20, 'x')};
  EXPECT_EQ(run("x"), "HTTP 500, 65536 bytes");
  http_.responses[kUrl] = {304, {}, {}};
  EXPECT_EQ(run("x"), "HTTP 304, 0 bytes");
}

TEST_F(DownloadTest, ThatWasCutIsContinued) {
  const std::string whole = "0123456789";
  http_.answer = [&](const HttpRequest& request) -> Outcome<HttpResponse> {
    const std::string range(header(request.headers, "range"));
    if (range.empty()) {
      http_.cut[kUrl] = 4;
      return HttpResponse{200, {{"etag", "\"v\"", {}}}, whole};
    }
    http_.cut.clear();
    EXPECT_EQ(range, "bytes=4-");
    EXPECT_EQ(header(request.headers, "if-range"), "\"v\"");
    return HttpResponse{206, {{"content-range", "bytes 4-9/10", {}}}, whole.substr(4)};
  };
  EXPECT_EQ(run(whole), whole);
  EXPECT_EQ(http_.requests.size(), 2u);
}

// RFC 9110, section 15.3.7: a server may send only a subset of a range.
TEST_F(DownloadTest, ThatWasCutIsContinuedByPartsThatAreShorterThanAskedFor) {
  const std::string whole = "0123456789";
  http_.answer = [&](const HttpRequest& request) -> Outcome<HttpResponse> {
    const std::string range(header(request.headers, "range"));
    if (range.empty()) {
      http_.cut[kUrl] = 4;
      return HttpResponse{200, {{"etag", "\"v\"", {}}}, whole};
    }
    http_.cut.clear();
    const bool first = range == "bytes=4-";
    return HttpResponse{206,
                        {{"content-range", first ? "bytes 4-6/10" : "bytes 7-9/10", {}}},
                        whole.substr(first ? 4 : 7, 3)};
  };
  EXPECT_EQ(run(whole), whole);
  EXPECT_EQ(http_.requests.size(), 3u);
}

TEST_F(DownloadTest, WithoutACacheIsInItsFolderOrInMemory) {
  fake_.offer(QUARRY_PATHS, nullptr);
  answer("bytes");
  EXPECT_EQ(run("bytes"), "bytes");
  const Call call(call_.get());
  const fs::path scratch = paths_.data();
  ASSERT_TRUE(obtain({host_, call}, "entry", of("bytes"), scratch.string()));
  EXPECT_TRUE(fs::exists(scratch / "file"));
}

}  // namespace
}  // namespace quarry::package_source
