#include "plugins/validation.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "plugins/probe.h"

#include <fstream>
#include <map>
#include <quarry_places.h>
#include <quarry_test.h>
#include <zstd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A copy of a plugin built for these tests, to be damaged.
class Validated : public ::testing::Test {
 protected:
  explicit Validated(const std::string& name = "hello") { take(name); }

  void take(const std::string& name) {
    fs::remove_all(root_);
    fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins" / name, root_);
    file_ = root_ / (name + ".so");
  }
  void edit(const std::string& from, const std::string& to) {
    auto text = *read_file(root_ / "plugin.toml");
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    std::ofstream(root_ / "plugin.toml") << text.replace(at, from.size(), to);
  }
  /// Replaces the plugin's file by `bytes` and corrects the digest in its manifest.
  void replace_file(const std::string& bytes) {
    const auto before = *sha256_file(file_);
    std::ofstream(file_, std::ios::binary) << bytes;
    edit(before, sha256_hex(bytes));
  }
  /// Names hello.so.zst with `bytes` as the plugin's file.
  void store_compressed(const std::string& bytes) {
    fs::rename(file_, root_ / "hello.so.zst");
    file_ = root_ / "hello.so.zst";
    replace_file(bytes);
    edit("\"hello.so\"", "\"hello.so.zst\"");
  }
  [[nodiscard]] Validation run() const {
    return validate(root_, [](const Manifest& manifest) {
      return probe(manifest, {QUARRY_BUILD_DIR "/bin/quarry-validate", "--probe"},
                   patience(std::chrono::seconds(10)));
    });
  }
  /// Outcomes as letters: p, F, s.
  static std::string outcomes(const Validation& validation) {
    std::string out;
    for (const auto& check : validation.checks) {
      out += check.outcome == CheckOutcome::kPass   ? 'p'
             : check.outcome == CheckOutcome::kFail ? 'F'
                                                    : 's';
    }
    return out;
  }
  /// Name of the only check that failed; every check before it passed, every later one is skipped.
  std::string failed() {
    const auto validation = run();
    const auto letters = outcomes(validation);
    const auto at = letters.find('F');
    if (at == std::string::npos) return "none";
    EXPECT_EQ(letters, std::string(at, 'p') + 'F' + std::string(letters.size() - at - 1, 's'));
    EXPECT_FALSE(validation.status());
    EXPECT_FALSE(validation.checks[at].error->message.empty());
    EXPECT_FALSE(validation.checks[at].error->hint.empty());
    return std::string(validation.checks[at].name);
  }

  const fs::path root_ = test_directory() / "plugin";
  fs::path file_;
};

TEST_F(Validated, ASchemaFileThatNamesAMemberOfTheHostIsRefused) {
  std::ofstream(root_ / "fields.json") << R"({"properties":{"refresh":{}}})";
  edit("name = \"hello\"", "name = \"hello\"\nschema = \"fields.json\"");
  EXPECT_THAT(run().status().error().message,
              HasSubstr("fields.json: the schema names \"refresh\", which every resource has"));
  std::ofstream(root_ / "fields.json") << "{}";
  std::ofstream(root_ / "table.json") << R"({"properties":{"acts_for":{}}})";
  edit("schema = \"fields.json\"", "schema = \"fields.json\"\nconfiguration = \"table.json\"");
  EXPECT_THAT(run().status().error().message,
              HasSubstr("table.json: the schema names \"acts_for\", which the host adds"));
}

TEST_F(Validated, ASoundPluginPassesEveryCheck) {
  const auto validation = run();
  EXPECT_EQ(outcomes(validation), "ppppppp") << validation.text();
  EXPECT_TRUE(validation.passed());
  EXPECT_TRUE(validation.status());
  EXPECT_EQ(validation.manifest->id, "org.example.hello");
}

TEST_F(Validated, ACompressedFilePassesEveryCheck) {
  const auto object = *read_file(file_);
  std::string packed(::ZSTD_compressBound(object.size()), '\0');
  packed.resize(::ZSTD_compress(packed.data(), packed.size(), object.data(), object.size(), 3));
  store_compressed(packed);
  EXPECT_EQ(failed(), "none");
}

TEST_F(Validated, AFileThatOnlyItsNameCallsCompressedIsNotWhole) {
  store_compressed(*read_file(file_));
  EXPECT_EQ(failed(), "file-whole");
}

TEST_F(Validated, TheNamesOfTheChecksAreStable) {
  std::vector<std::string_view> names;
  const auto validation = run();
  for (const auto& check : validation.checks) names.push_back(check.name);
  EXPECT_THAT(names, ElementsAre("manifest-complete", "contract-supported", "schemas-valid",
                                 "digest-matches", "file-whole", "entry-exported-alone",
                                 "loads-and-agrees"));
}

TEST_F(Validated, AManifestThatCannotBeReadFailsTheFirstCheck) {
  edit("licence", "license");
  EXPECT_EQ(failed(), "manifest-complete");
  EXPECT_FALSE(run().manifest);
}

TEST_F(Validated, AnotherContractIsNotSupported) {
  edit("built_for = \"1.0\"", "built_for = \"9.0\"");
  EXPECT_EQ(failed(), "contract-supported");
}

TEST_F(Validated, AMissingOrWrongSchemaIsFound) {
  edit("name = \"hello\"\n", "name = \"hello\"\nschema = \"schema.json\"\n");
  EXPECT_EQ(failed(), "schemas-valid") << "missing";
  for (const auto* wrong : {"{", "[]", R"({"pattern": "("})"}) {
    std::ofstream(root_ / "schema.json") << wrong;
    EXPECT_EQ(failed(), "schemas-valid") << wrong;
  }
  std::ofstream(root_ / "schema.json") << R"({"type": "object"})";
  EXPECT_EQ(failed(), "none");
}

TEST_F(Validated, AChangedOrMissingFileFailsTheDigest) {
  std::ofstream(file_, std::ios::app) << "x";
  EXPECT_EQ(failed(), "digest-matches");
  fs::remove(file_);
  EXPECT_EQ(failed(), "digest-matches");
}

TEST_F(Validated, ATruncatedFileWithItsDigestIsNotWhole) {
  replace_file(read_file(file_)->substr(0, 4096));
  EXPECT_EQ(failed(), "file-whole");
}

TEST_F(Validated, CodeThatDisagreesWithItsManifestIsFoundByLoadingIt) {
  edit("version = \"1.0.0\"", "version = \"1.0.1\"");
  EXPECT_EQ(failed(), "loads-and-agrees");
}

TEST_F(Validated, WithoutALoadCheckNoCodeRuns) {
  take("exits");
  const auto validation = validate(root_ / "plugin.toml", {});
  EXPECT_EQ(outcomes(validation), "pppppps");
  EXPECT_TRUE(validation.passed());
}

TEST_F(Validated, EachBadPluginFailsTheCheckOfItsFault) {
  for (const auto& [name, check] :
       std::map<std::string, std::string>{{"two-symbols", "entry-exported-alone"},
                                          {"incomplete", "loads-and-agrees"},
                                          {"exits", "loads-and-agrees"},
                                          {"crashes", "loads-and-agrees"}}) {
    take(name);
    EXPECT_EQ(failed(), check) << name;
  }
}

TEST_F(Validated, TextNamesEachCheckAndTheCauseOfAFailure) {
  edit("version = \"1.0.0\"", "version = \"1.0.1\"");
  EXPECT_THAT(run().text(),
              ::testing::AllOf(HasSubstr("pass  manifest-complete: the manifest is complete\n"),
                               HasSubstr("FAIL  loads-and-agrees: "),
                               HasSubstr("\n      plugin org.example.hello: it says version")));
}

TEST_F(Validated, JsonListsEveryCheck) {
  edit("built_for = \"1.0\"", "built_for = \"9.0\"");
  const auto json = *parse_json(run().json());
  EXPECT_EQ(json["manifest"], (root_ / "plugin.toml").string());
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["checks"][0]["outcome"], "pass");
  EXPECT_EQ(json["checks"][1]["outcome"], "fail");
  EXPECT_THAT(json["checks"][1]["message"].get<std::string>(), HasSubstr("9.0"));
  EXPECT_EQ(json["checks"][2]["outcome"], "skip");
  EXPECT_FALSE(json["checks"][2].contains("message"));
}

}  // namespace
}  // namespace quarry::plugins
