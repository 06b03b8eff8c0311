#include "resource-npm/packument.h"

#include "resource-npm/packument_reader.h"

#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

constexpr const char* kShasum = "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=";
constexpr const char* kIntegrity =
    "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/"
    "uu9RU1EI2Q86A4qmslPpUyknw==";

std::string with_versions(const std::string& versions) {
  return R"({"name":"a","dist-tags":{"latest":"1.0.0"},"versions":{)" + versions + "}}";
}

TEST(Packument, KeepsWhatIsNeeded) {
  const auto packument = Packument::read(with_versions(
      R"("1.0.0":{"name":"a","dependencies":{"dist":"no"},"dist":{"shasum":"a9993e364706816aba3e25717850c26c9cd0d89d","integrity":")" +
      std::string(kIntegrity) + R"(","tarball":"https:\/\/r\/a.tgz","signatures":[{}]}},)" +
      R"("2.0.0":{"deprecated":"use \"b\"","dist":{"tarball":"t"}})"));
  ASSERT_TRUE(packument);
  EXPECT_EQ(packument->name, "a");
  EXPECT_EQ(packument->tags.at("latest"), "1.0.0");
  ASSERT_EQ(packument->releases.size(), 2u);
  EXPECT_EQ(packument->releases.at("1.0.0").tarball, "https://r/a.tgz");
  EXPECT_EQ(packument->releases.at("1.0.0").integrity, kIntegrity);
  EXPECT_EQ(packument->releases.at("1.0.0").deprecated, "");
  EXPECT_EQ(packument->releases.at("2.0.0").deprecated, "use \"b\"");
  EXPECT_EQ(packument->releases.at("2.0.0").integrity, "");
}

TEST(Packument, TakesTheShasumOnlyWhereThereIsNothingBetter) {
  const auto integrity = [](const std::string& dist) {
    return Packument::read(with_versions(R"("1.0.0":{"dist":{)" + dist + "}}"))
        ->releases.at("1.0.0")
        .integrity;
  };
  const std::string shasum = R"("shasum":"a9993e364706816aba3e25717850c26c9cd0d89d")";
  EXPECT_EQ(integrity(shasum), kShasum);
  EXPECT_EQ(integrity(shasum + R"(,"integrity":")" + kIntegrity + "\""), kIntegrity);
  EXPECT_EQ(integrity(shasum + R"(,"integrity":"md5-xx")"), kShasum);
  EXPECT_EQ(integrity(R"("shasum":"short")"), "");
}

TEST(Packument, ReadsDeprecationsHoweverTheyAreSaid) {
  const auto deprecated = [](const std::string& value) {
    return Packument::read(with_versions(R"("1.0.0":{"deprecated":)" + value + "}"))
        ->releases.at("1.0.0")
        .deprecated;
  };
  EXPECT_EQ(deprecated("true"), "it is deprecated");
  EXPECT_EQ(deprecated("false"), "");
  EXPECT_EQ(deprecated("\"\""), "");
  EXPECT_EQ(deprecated("null"), "");
}

TEST(Packument, GoesToTextAndBack) {
  Packument first;
  first.name = "@a/b";
  first.etag = "W/\"x\"";
  first.tags = {{"latest", "1.0.0"}, {"odd \"tag\"", "2.0.0"}};
  first.releases = {{"1.0.0", {"https://r/1.tgz", kIntegrity, ""}},
                    {"2.0.0", {"https://r/2.tgz", "", "line\nbreak"}}};
  const auto again = Packument::read(first.text());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->text(), first.text());
  EXPECT_EQ(again->etag, first.etag);
  EXPECT_EQ(again->tags, first.tags);
  EXPECT_EQ(again->releases.at("2.0.0").deprecated, "line\nbreak");
}

TEST(Packument, MayBeWrittenWithSpaces) {
  const auto packument = Packument::read(
      "{\n  \"name\" : \"a\",\n  \"versions\": {\n    \"1.0.0\": { \"dist\": {\n \"tarball\": "
      "\"t\"\n } }\n"
      "  },\n  \"dist-tags\": { }\n}\n");
  ASSERT_TRUE(packument);
  EXPECT_EQ(packument->releases.at("1.0.0").tarball, "t");
}

TEST(Packument, MayHaveNoVersions) {
  EXPECT_TRUE(Packument::read(R"({"versions":{}})"));
  EXPECT_TRUE(Packument::read("{\"versions\": { }\n}"));
}

TEST(Packument, IsNothingThatIsCutOffOrSomethingElse) {
  const std::string whole = with_versions(R"("1.0.0":{"dist":{"tarball":"t"}})");
  ASSERT_TRUE(Packument::read(whole));
  ASSERT_TRUE(Packument::read(whole + "\n"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Packument::read(std::string_view(whole).substr(0, size))) << size;
  }
  for (const char* text : {"", "[]", "null", "<html>", R"({"error":"x"})", R"({"versions":7})"}) {
    EXPECT_FALSE(Packument::read(text)) << text;
  }
}

/// Feeds the text in pieces of every size.
std::optional<Packument> in_pieces(std::string_view json, std::size_t size) {
  PackumentReader reader;
  for (; !json.empty(); json.remove_prefix(std::min(size, json.size()))) {
    if (!reader.feed(json.substr(0, size))) return std::nullopt;
  }
  return reader.finish();
}

TEST(PackumentReader, TakesPiecesOfAnySize) {
  const std::string json = with_versions(
      R"("1.0.0":{"dist":{"tarball":"https:\/\/r\/\u0061.tgz","x":[{"tarball":"no"},[],1]},)"
      R"("deprecated":"a \"b\" \\"},"2.0.0-rc.1":{"deprecated":true,"n":-1.5e3,"dist":{}})");
  for (std::size_t size = 1; size < json.size(); ++size) {
    const auto packument = in_pieces(json, size);
    ASSERT_TRUE(packument) << size;
    EXPECT_EQ(packument->releases.at("1.0.0").tarball, "https://r/a.tgz");
    EXPECT_EQ(packument->releases.at("1.0.0").deprecated, R"(a "b" \)");
    EXPECT_EQ(packument->releases.at("2.0.0-rc.1").deprecated, "it is deprecated");
  }
}

TEST(PackumentReader, TakesNothingFromOtherPlaces) {
  const auto packument = Packument::read(
      R"({"x":{"versions":{"9.0.0":{}},"dist-tags":{"latest":"9.0.0"}},"a":[{"versions":{}}],)"
      R"("versions":{"1.0.0":{"x":{"tarball":"no","deprecated":"no"},"dist":{"x":{"tarball":"no"},)"
      R"("tarball":"yes"},"a":[{"deprecated":"no"}]}},"dist-tags":{"latest":"1.0.0"}})");
  ASSERT_TRUE(packument);
  EXPECT_EQ(packument->releases.size(), 1u);
  EXPECT_EQ(packument->releases.at("1.0.0").tarball, "yes");
  EXPECT_EQ(packument->releases.at("1.0.0").deprecated, "");
  EXPECT_EQ(packument->tags.at("latest"), "1.0.0");
}

TEST(PackumentReader, KeepsNothingOfALongValueThatIsNotWanted) {
  PackumentReader reader;
  ASSERT_TRUE(reader.feed(R"({"readme":")"));
  const std::string much(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(reader.feed(much));
  ASSERT_TRUE(reader.feed(R"(","versions":{}})"));
  EXPECT_TRUE(reader.finish());
}

TEST(PackumentReader, GivesUpWhenTooMuchWouldHaveToBeKept) {
  PackumentReader reader;
  ASSERT_TRUE(reader.feed(R"({"versions":{"0":{})"));
  std::size_t versions = 0;
  while (
      reader.feed(",\"" + std::to_string(++versions) + R"(":{"deprecated":"xxxxxxxxxxxxxxxx"})")) {
    ASSERT_LT(versions, 200'000u);
  }
  EXPECT_TRUE(reader.too_large());
  EXPECT_FALSE(reader.finish());
}

TEST(PackumentReader, RefusesWhatIsNoJson) {
  for (const char* text :
       {R"({"versions":{},})", R"({"versions" {}})", R"({"versions":{}}x)", R"({"versions":{]})",
        R"({"versions":{}]})", "{,}", R"({"a":tru,"versions":{}})", R"({a:1,"versions":{}})",
        R"({"a":1 2,"versions":{}})"}) {
    EXPECT_FALSE(Packument::read(text)) << text;
  }
  EXPECT_FALSE(Packument::read(std::string(100'000, '[')));
}

std::string readme_in(std::string_view json, std::string_view version) {
  ReadmeReader reader(version);
  EXPECT_TRUE(reader.feed(json));
  return reader.finish();
}

TEST(Readme, IsTheVersionsElseThePackages) {
  const char* json = R"({"readme":"# all","versions":{"1.0.0":{"readme":"# one"},"2.0.0":{}}})";
  EXPECT_EQ(readme_in(json, "1.0.0"), "# one");
  EXPECT_EQ(readme_in(json, "2.0.0"), "# all");
  EXPECT_EQ(readme_in(json, "3.0.0"), "# all");
  EXPECT_EQ(readme_in("{}", "1.0.0"), "");
}

}  // namespace
}  // namespace quarry::resource_npm
