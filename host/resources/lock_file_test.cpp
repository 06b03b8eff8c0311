#include "resources/lock_file.h"

#include "base/file.h"
#include "resources/testing/setting.h"

#include <gmock/gmock.h>

namespace quarry::resources {
namespace {

using ::testing::HasSubstr;

LockedResource locked(std::string name, Json source, std::string id, std::string integrity = {}) {
  plugins::ResourceVersion version;
  version.id = std::move(id);
  version.immutable = true;
  version.display = "main at " + version.id.substr(0, 7);
  version.integrity = std::move(integrity);
  return {std::move(name), std::move(source), std::move(version)};
}

const LockedResource kSvelte =
    locked("svelte", {{"type", "git"}, {"url", "https://x/y"}, {"searchPaths", {"a", "b \"c\""}}},
           "1a2b3c4d5e6f");
const LockedResource kReact =
    locked("@types/react", {{"type", "npm"}, {"package", "@types/react"}}, "18.2.0", "sha512-x==");

struct LockFile : ::testing::Test {
  Result<std::vector<LockedResource>> read(const std::string& text) {
    write_file(file, text);
    return read_lock_file(file);
  }
  std::string complaint(const std::string& text) {
    const auto read_again = read(text);
    if (read_again) return "none";
    EXPECT_EQ(read_again.error().tag, "ConfigError");
    EXPECT_EQ(read_again.error().hint, "Write it again: quarry lock.");
    return read_again.error().message;
  }

  TempDirectory directory;
  const std::filesystem::path file = directory.path() / kLockFileName;
};

TEST_F(LockFile, SaysAgainWhatWasWritten) {
  const auto again = read(lock_file_text({kSvelte, kReact}));
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->size(), 2u);
  EXPECT_EQ((*again)[0].name, "@types/react");
  EXPECT_EQ((*again)[0].version.integrity, "sha512-x==");
  EXPECT_EQ((*again)[1].source, kSvelte.source);
  EXPECT_EQ((*again)[1].version.id, "1a2b3c4d5e6f");
  EXPECT_EQ((*again)[1].version.display, "main at 1a2b3c4");
  EXPECT_TRUE((*again)[1].version.immutable);
  EXPECT_EQ((*again)[1].version.integrity, "");
}

TEST_F(LockFile, IsTheSameBytesInAnyOrder) {
  EXPECT_EQ(lock_file_text({kSvelte, kReact}), lock_file_text({kReact, kSvelte}));
  EXPECT_THAT(lock_file_text({kSvelte}),
              HasSubstr("\n[[resource]]\nname = \"svelte\"\nsource = { searchPaths = [\"a\", "
                        "\"b \\\"c\\\"\"], type = \"git\", url = \"https://x/y\" }\n"
                        "version = \"1a2b3c4d5e6f\"\ndisplay = \"main at 1a2b3c4\"\n"));
}

TEST_F(LockFile, MayHoldNothing) {
  EXPECT_TRUE(read(lock_file_text({}))->empty());
}

TEST_F(LockFile, ThatIsMissingIsNotFound) {
  EXPECT_EQ(read_lock_file(file).error().code, Code::kNotFound);
}

TEST_F(LockFile, ThatIsDamagedIsToldAtThePlace) {
  const std::string good = lock_file_text({kSvelte});
  const std::string at = file.string();
  EXPECT_THAT(complaint(good + "<<<<<<< ours\n"), HasSubstr(at + ":8:1: not valid TOML"));
  EXPECT_THAT(complaint("[[resource]]\nname = \"a\"\nversion = \"1\"\ndisplay = \"1\"\n"),
              HasSubstr(at + ":1:1: \"resource/0/source\" "));
  EXPECT_THAT(complaint("[[resource]]\nname = 1\nsource = {type = \"x\"}\nversion = \"1\"\n"
                        "display = \"1\"\n"),
              HasSubstr(at + ":2:1: "));
  EXPECT_THAT(complaint("[[resorce]]\n"), HasSubstr("did you mean \"resource\""));
  EXPECT_THAT(complaint(good + good), HasSubstr("/1/name\" appears twice"));
}

TEST(Difference, NamesWhatMoved) {
  EXPECT_EQ(
      difference({{"type", "git"}, {"branch", "main"}}, {{"type", "git"}, {"branch", "next"}}),
      "branch \"main\" is now \"next\"");
  EXPECT_EQ(difference({{"a", 1}, {"b", "x"}}, {{"a", 1}, {"c", true}}),
            "b \"x\" is now nothing, c nothing is now true");
  EXPECT_EQ(difference({{"a", 1}}, {{"a", 1}}), "");
}

}  // namespace
}  // namespace quarry::resources
