#include "plugins/index_cache.h"

#include "base/file.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <quarry_places.h>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto* kIndexUrl = "https://plugins.example/index.json";
constexpr Clock::Wall kNow{std::chrono::hours(1'000'000)};

/// A server of files by URL, with an ETag for each content.
class FakeWeb final : public WebFiles {
 public:
  Result<WebResponse> get(const services::Call&, const WebRequest& request,
                          const Write& write) override {
    requests.push_back(request.url + (request.etag.empty() ? "" : " " + request.etag));
    if (down) return Error(Code::kUnavailable, "connection refused");
    const auto file = files.find(request.url);
    if (file == files.end()) return Error(Code::kNotFound, "status 404");
    const auto etag = "\"" + std::to_string(std::hash<std::string>{}(file->second)) + "\"";
    if (request.etag == etag) return WebResponse{.unchanged = true, .etag = etag};
    if (file->second.size() > request.limit) return Error(Code::kResourceExhausted, "too large");
    if (auto written = write(file->second); !written) return written.error();
    return WebResponse{.unchanged = false, .etag = etag};
  }

  std::map<std::string, std::string> files;
  std::vector<std::string> requests;
  bool down = false;
};

class Cached : public ::testing::Test {
 protected:
  static std::string index_text(const std::string& made = "2026-11-01T12:00:00Z") {
    return R"({"format": 1, "made": ")" + made + R"(", "plugins": []})";
  }
  [[nodiscard]] IndexCache cache(std::vector<MinisignKey> trusted = {}) const {
    return IndexCache(root_ / "indexes", std::move(trusted));
  }
  Result<ReadIndex> fetch(std::vector<MinisignKey> trusted = {}) {
    return cache(std::move(trusted)).fetch(source_, web_, {}, kNow);
  }
  std::string refusal(std::vector<MinisignKey> trusted = {}) {
    const auto read = fetch(std::move(trusted));
    if (read) return "none";
    EXPECT_THAT(read.error().message, HasSubstr("the plugin index \"team\""));
    return read.error().message;
  }
  [[nodiscard]] MinisignKey key(const std::string& name) const {
    const auto file = (root_ / name).string();
    if (!fs::exists(file)) minisign("-G -W -f -p " + file + ".pub -s " + file);
    const auto text = *read_file(file + ".pub");
    const auto line = text.find('\n') + 1;
    return *parse_minisign_key(text.substr(line, text.find('\n', line) - line));
  }
  static void minisign(const std::string& words) {
    EXPECT_EQ(std::system(("minisign " + words + " >/dev/null").c_str()), 0) << words;
  }
  /// Serves an index with the signature of a key.
  void serve_signed(const std::string& by, const std::string& text) {
    const auto file = (root_ / "index.json").string();
    std::ofstream(file) << text;
    minisign("-S -s " + (root_ / by).string() + " -m " + file);
    web_.files[kIndexUrl] = text;
    web_.files[std::string(kIndexUrl) + ".minisig"] = *read_file(file + ".minisig");
  }

  const fs::path root_ = test_directory();
  const IndexSource source_{"team", kIndexUrl};
  FakeWeb web_;
};

TEST_F(Cached, AnUnchangedIndexIsNotSentAgain) {
  web_.files[kIndexUrl] = index_text();
  ASSERT_TRUE(fetch());
  const auto again = cache().fetch(source_, web_, {}, kNow + std::chrono::hours(1));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->offline);
  EXPECT_EQ(again->fetched, kNow + std::chrono::hours(1));
  ASSERT_EQ(web_.requests.size(), 2u);
  EXPECT_EQ(web_.requests[0], kIndexUrl);
  EXPECT_THAT(web_.requests[1], HasSubstr(" \""));
  EXPECT_EQ(cache().cached(source_)->fetched, again->fetched);
}

TEST_F(Cached, AChangedIndexReplacesTheCopy) {
  web_.files[kIndexUrl] = index_text();
  ASSERT_TRUE(fetch());
  web_.files[kIndexUrl] = index_text("2026-11-02T12:00:00Z");
  EXPECT_EQ(fetch()->index.made, "2026-11-02T12:00:00Z");
  EXPECT_EQ(cache().cached(source_)->index.made, "2026-11-02T12:00:00Z");
}

TEST_F(Cached, TheCopyIsReadWhileTheServerCannotBeReached) {
  web_.files[kIndexUrl] = index_text();
  ASSERT_TRUE(fetch());
  web_.down = true;
  const auto read = cache().fetch(source_, web_, {}, kNow + std::chrono::hours(9));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->offline);
  EXPECT_EQ(read->offline->message, "connection refused");
  EXPECT_EQ(read->fetched, kNow);
}

TEST_F(Cached, WithoutACopyTheServersFailureIsTold) {
  web_.down = true;
  EXPECT_THAT(refusal(), HasSubstr("connection refused"));
  EXPECT_EQ(cache().cached(source_).error().code, Code::kNotFound);
}

TEST_F(Cached, AnIndexThatIsGoneOrWrongIsNotReplacedByTheCopy) {
  web_.files[kIndexUrl] = index_text();
  ASSERT_TRUE(fetch());
  web_.files[kIndexUrl] = "<html>";
  EXPECT_THAT(refusal(), HasSubstr("is not JSON"));
  web_.files[kIndexUrl] = std::string(PluginIndex::kMostBytes + 1, ' ');
  EXPECT_THAT(refusal(), HasSubstr("too large"));
  web_.files.clear();
  EXPECT_THAT(refusal(), HasSubstr("status 404"));
  EXPECT_TRUE(cache().cached(source_)) << "the copy stays";
}

TEST_F(Cached, ADamagedCopyIsFetchedAgain) {
  web_.files[kIndexUrl] = index_text();
  const auto file = cache().file_of(source_);
  for (const std::string text :
       {"", "{", "{}\n", "[]\n{}", "{\"url\": 1}\n{}", "\n",
        R"({"url":"https://plugins.example/index.json","etag":1,"signature":"","fetched":0})"
        "\n{}"}) {
    ASSERT_TRUE(fetch());
    std::ofstream(file) << text;
    EXPECT_EQ(cache().cached(source_).error().code, Code::kNotFound) << text;
    const auto read = fetch();
    ASSERT_TRUE(read) << text;
    EXPECT_FALSE(read->offline);
    EXPECT_EQ(web_.requests.back(), kIndexUrl);
  }
}

TEST_F(Cached, TheCopyOfAnotherAddressIsNotTaken) {
  web_.files[kIndexUrl] = index_text();
  ASSERT_TRUE(fetch());
  const IndexSource other{"team", "https://plugins.example/other.json"};
  fs::copy(cache().file_of(source_), cache().file_of(other));
  EXPECT_FALSE(cache().cached(other));
}

TEST_F(Cached, FilesOfKilledWritersAreRemoved) {
  web_.files[kIndexUrl] = index_text();
  ASSERT_TRUE(fetch());
  std::ofstream(root_ / "indexes/.x.index.AbCdEf") << "half";
  ASSERT_TRUE(fetch());
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_ / "indexes")) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre(cache().file_of(source_).filename().string()));
}

TEST_F(Cached, WhereAKeyIsTrustedTheIndexNeedsItsSignature) {
  const auto author = key("author");
  serve_signed("author", index_text());
  const auto read = fetch({author});
  ASSERT_TRUE(read) << read.error().message;
  web_.files.erase(std::string(kIndexUrl) + ".minisig");
  ASSERT_TRUE(fetch({author})) << "the signature of an unchanged index is at hand";
  fs::remove_all(root_ / "indexes");
  EXPECT_THAT(refusal({author}), HasSubstr("it has no signature"));
  EXPECT_TRUE(fetch()) << "without trusted keys none is needed";
}

TEST_F(Cached, ASignatureOfAnotherKeyOrOfAnotherIndexIsRefused) {
  const auto author = key("author");
  const auto stranger = key("stranger");
  serve_signed("stranger", index_text());
  EXPECT_THAT(refusal({author}), HasSubstr("which trusted_keys does not have"));
  serve_signed("author", index_text());
  web_.files[kIndexUrl] = index_text("2026-11-02T12:00:00Z");
  EXPECT_THAT(refusal({author}), HasSubstr("signature is invalid"));
  web_.files[std::string(kIndexUrl) + ".minisig"] = "garbage";
  EXPECT_THAT(refusal({author}), HasSubstr("its signature"));
  EXPECT_FALSE(fs::exists(cache().file_of(source_)));
}

TEST_F(Cached, ACopyThatNoTrustedKeySignedIsNotRead) {
  const auto author = key("author");
  serve_signed("author", index_text());
  ASSERT_TRUE(fetch());
  EXPECT_FALSE(cache({author}).cached(source_)) << "it was fetched without its signature";
  web_.down = true;
  EXPECT_THAT(refusal({author}), HasSubstr("connection refused"));
  web_.down = false;
  ASSERT_TRUE(fetch({author}));
  EXPECT_TRUE(cache({author}).cached(source_));
}

TEST_F(Cached, AnOlderSignedIndexThanTheLastOneIsRefused) {
  const auto author = key("author");
  serve_signed("author", index_text("2026-11-02T12:00:00Z"));
  ASSERT_TRUE(fetch({author}));
  serve_signed("author", index_text("2026-11-01T12:00:00Z"));
  EXPECT_THAT(refusal({author}), HasSubstr("it was made at 2026-11-01T12:00:00Z"));
  serve_signed("author", index_text("2026-11-03T12:00:00Z"));
  EXPECT_TRUE(fetch({author}));
}

}  // namespace
}  // namespace quarry::plugins
