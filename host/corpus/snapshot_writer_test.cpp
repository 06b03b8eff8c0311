#include "corpus/pack.h"
#include "corpus/snapshot_fixture.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using testing::HasSubstr;

class Writer : public SnapshotFixture {
 protected:
  std::unique_ptr<SnapshotWriter> writer(PackLimits limits = {}, PackRules rules = {}) {
    return *SnapshotWriter::create(new_directory(), limits, rules);
  }
};

TEST_F(Writer, ListsWhatItCannotPack) {
  const auto tree = [&] {
    auto out = writer({.file_bytes = 10});
    EXPECT_TRUE(out->add("large", "12345678901"));
    EXPECT_TRUE(out->add("binary", std::string_view("\0\1", 2)));
    EXPECT_TRUE(out->add("text", "1234567890"));
    return *out->finish();
  }();
  const auto kind = [&](std::string_view path) {
    const FileRef file = *tree->find(path);
    return tree->segment(file).kind(file.file);
  };
  EXPECT_EQ(kind("large"), FileKind::kTooLarge);
  EXPECT_EQ(kind("binary"), FileKind::kBinary);
  EXPECT_EQ(kind("text"), FileKind::kText);
  const FileRef large = *tree->find("large");
  EXPECT_EQ(tree->segment(large).size(large.file), 11u) << "its size is still known";
  EXPECT_EQ(tree->segment(large).text(large.file), "");
}

TEST_F(Writer, ListsWhatItIsNotGivenTheBytesOf) {
  auto out = writer();
  ASSERT_TRUE(out->list("big.bin", FileKind::kTooLarge, 5ull << 30));
  ASSERT_TRUE(out->list("docs/link", FileKind::kLink, 0));
  EXPECT_TRUE(out->list(".git/config", FileKind::kLink, 0)) << "left out like any file";
  EXPECT_FALSE(out->list("big.bin", FileKind::kTooLarge, 1)) << "stands already";
  EXPECT_FALSE(out->list("../out", FileKind::kLink, 0));
  const auto snapshot = out->finish();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ((*snapshot)->files().size(), 2u);
}

TEST_F(Writer, NormalisesPathsAndRefusesBadOnes) {
  auto out = writer();
  EXPECT_TRUE(out->add("./a//b", "x"));
  EXPECT_THAT(out->add("a/b", "y").error().message, HasSubstr("\"a/b\" stands twice"));
  EXPECT_EQ(out->add("../up", "").error().code, Code::kInvalidArgument);
  EXPECT_EQ(out->add("/etc/passwd", "").error().code, Code::kInvalidArgument);
  EXPECT_EQ(out->add(".", "").error().code, Code::kInvalidArgument);
  EXPECT_TRUE((*out->finish())->find("a/b"));
}

TEST_F(Writer, KeepsNamesThatDifferInCaseOnly) {
  auto out = writer();
  EXPECT_TRUE(out->add("Makefile", "1"));
  EXPECT_TRUE(out->add("makefile", "2"));
  EXPECT_EQ((*out->finish())->files().size(), 2u);
}

TEST_F(Writer, DropsWhatTheRulesLeaveOut) {
  const auto left_out = {".git/config", "a/node_modules/b.js", ".env", "keys/id_rsa",
                         "x/server.pem"};
  auto out = writer();
  for (const char* path : left_out) EXPECT_TRUE(out->add(path, "x"));
  EXPECT_TRUE(out->add(".env.example", "x"));
  EXPECT_TRUE(out->add("dist/index.js", "x")) << "what somebody ships in dist is meant to be there";
  EXPECT_EQ((*out->finish())->files().size(), 2u);

  auto all = writer({}, {false, false, false});
  for (const char* path : left_out) EXPECT_TRUE(all->add(path, "x"));
  EXPECT_EQ((*all->finish())->files().size(), 4u) << "all but version control";
}

TEST_F(Writer, NamesTheLimitThatIsExceeded) {
  const auto message = [](const Status& status) {
    EXPECT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kResourceExhausted);
    EXPECT_FALSE(status.error().hint.empty());
    return status.error().message;
  };
  auto few = writer({.files = 1});
  EXPECT_TRUE(few->add("a", ""));
  EXPECT_THAT(message(few->add("b", "")), HasSubstr("more than 1 files"));
  EXPECT_THAT(message(writer({.total_bytes = 3})->add("a", "1234")), HasSubstr("3 bytes"));
  EXPECT_THAT(message(writer({.depth = 2})->add("a/b/c", "")), HasSubstr("deeper than 2"));
  EXPECT_THAT(message(writer({.path_bytes = 3})->add("abcd", "")), HasSubstr("longer than 3"));
}

TEST_F(Writer, SaysWhereItCannotWrite) {
  const auto out = SnapshotWriter::create(root_ / "missing" / "deeper", {}, {});
  EXPECT_EQ(out.error().code, Code::kNotFound);
  EXPECT_THAT(out.error().message, HasSubstr("missing/deeper"));
}

}  // namespace
}  // namespace quarry::corpus
