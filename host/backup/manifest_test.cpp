#include "backup/manifest.h"

#include "base/file.h"

#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace quarry::backup {
namespace {

using ::testing::HasSubstr;

class ManifestTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) const {
    ASSERT_TRUE(write_file_atomically(root_ / name, bytes));
  }
  [[nodiscard]] Error refusal(const std::string& manifest) const {
    write("backup.json", manifest);
    const auto read = read_manifest(root_);
    EXPECT_FALSE(read) << manifest;
    return read ? Error() : read.error();
  }

  const std::filesystem::path root_ = test_directory();
};

TEST_F(ManifestTest, IsReadAsItWasWritten) {
  write("history.db", "content");
  const auto file = describe(root_, "history.db", Part::kHistory, "/state/history.db").value();
  EXPECT_EQ(file.bytes, 7u);
  ASSERT_TRUE(write_manifest(root_, {"1.2.3", "2026-11-01T12:00:00Z", {file}}));
  const auto read = read_manifest(root_).value();
  EXPECT_EQ(read.version, "1.2.3");
  EXPECT_EQ(read.created, "2026-11-01T12:00:00Z");
  ASSERT_NE(read.find("history.db"), nullptr);
  EXPECT_EQ(read.find("history.db")->origin, "/state/history.db");
  EXPECT_EQ(read.find("history.db")->sha256, file.sha256);
  EXPECT_EQ(read.find("other"), nullptr);
  EXPECT_TRUE(read.has(Part::kHistory));
  EXPECT_FALSE(read.has(Part::kStore));
  EXPECT_TRUE(verify(root_, file));
}

TEST_F(ManifestTest, OfALaterFormatIsRefused) {
  const Error error = refusal(R"({"format": 2, "files": []})");
  EXPECT_EQ(error.code, Code::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("format 2"));
  EXPECT_THAT(error.hint, HasSubstr("newer Quarry"));
}

TEST_F(ManifestTest, ThatIsWrongIsRefused) {
  const std::string digest(64, 'a');
  const auto with = [&](const std::string& path, const std::string& part, const std::string& bytes,
                        const std::string& sha256) {
    return R"({"format": 1, "files": [{"path": ")" + path + R"(", "part": ")" + part +
           R"(", "bytes": )" + bytes + R"(, "sha256": ")" + sha256 + R"("}]})";
  };
  write("backup.json", with("store/a", "store", "1", digest));
  EXPECT_TRUE(read_manifest(root_));
  for (const std::string& wrong :
       {std::string("{"), std::string("[]"), std::string("{}"), std::string(R"({"format": "1"})"),
        std::string(R"({"format": 1})"), std::string(R"({"format": 1, "files": [7]})"),
        with("../a", "store", "1", digest), with("/etc/passwd", "store", "1", digest),
        with("", "store", "1", digest), with("a/", "store", "1", digest),
        with("a", "others", "1", digest), with("a", "store", "-1", digest),
        with("a", "store", "1", "abc")}) {
    const Error error = refusal(wrong);
    EXPECT_EQ(error.code, Code::kDataLoss) << wrong;
    EXPECT_THAT(error.message, HasSubstr("backup.json")) << wrong;
  }
}

TEST_F(ManifestTest, ThatIsMissingSaysWhatToName) {
  const auto read = read_manifest(root_ / "none");
  EXPECT_EQ(read.error().code, Code::kNotFound);
  EXPECT_THAT(read.error().hint, HasSubstr("directory of a backup"));
}

TEST_F(ManifestTest, ThatOthersMayWriteToIsRefused) {
  write("backup.json", "{}");
  ASSERT_EQ(::chmod((root_ / "backup.json").c_str(), 0666), 0);
  EXPECT_EQ(read_manifest(root_).error().code, Code::kPermissionDenied);
}

TEST_F(ManifestTest, FindsAFileThatIsNotAsItWas) {
  write("a", "content");
  const auto file = describe(root_, "a", Part::kStore, "").value();
  write("a", "c0ntent");
  const Status changed = verify(root_, file);
  EXPECT_EQ(changed.error().code, Code::kDataLoss);
  EXPECT_THAT(changed.error().message, HasSubstr((root_ / "a").string()));
  ASSERT_TRUE(std::filesystem::remove(root_ / "a"));
  EXPECT_EQ(verify(root_, file).error().code, Code::kNotFound);
  write("a", "content");
  ASSERT_EQ(::chmod((root_ / "a").c_str(), 0622), 0);
  EXPECT_EQ(verify(root_, file).error().code, Code::kPermissionDenied);
}

TEST(Part, HasAName) {
  for (const Part part : kParts) EXPECT_EQ(part_named(name_of(part)), part);
  EXPECT_FALSE(part_named("all"));
}

}  // namespace
}  // namespace quarry::backup
