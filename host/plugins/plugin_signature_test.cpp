#include "plugins/plugin_signature.h"

#include "base/file.h"
#include "plugins/plugin_files.h"

#include <cstdlib>
#include <fstream>
#include <quarry_places.h>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The plugin hello, signed by the program minisign with keys of the test.
class Signed : public ::testing::Test {
 protected:
  Signed() {
    fs::copy(fs::path(QUARRY_BUILD_DIR) / "tests/plugins/hello", folder_);
    manifest_ = *read_manifest(folder_ / kManifestFile);
    for (const auto* name : {"author", "stranger"}) {
      minisign("-G -W -f -p " + key_file(name) + ".pub -s " + key_file(name));
    }
  }
  static void minisign(const std::string& words) {
    EXPECT_EQ(std::system(("minisign " + words + " >/dev/null").c_str()), 0) << words;
  }
  [[nodiscard]] std::string key_file(const std::string& name) const {
    return (root_ / name).string();
  }
  void sign(const std::string& by, const std::string& form = "") {
    minisign("-S " + form + " -s " + key_file(by) + " -t 'hello 1.0.0' -m " +
             manifest_.path.string());
  }
  [[nodiscard]] MinisignKey key(const std::string& name) const {
    const auto text = *read_file(key_file(name) + ".pub");
    const auto line = text.find('\n') + 1;
    return *parse_minisign_key(text.substr(line, text.find('\n', line) - line));
  }
  /// The judgement while the author's key is trusted.
  [[nodiscard]] Result<PluginSignature> check(bool may_be_unsigned = false) const {
    return check_signature(manifest_, {key("author")}, may_be_unsigned);
  }
  [[nodiscard]] std::string refusal(bool may_be_unsigned = false) const {
    const auto checked = check(may_be_unsigned);
    return checked ? "none" : checked.error().message;
  }

  const fs::path root_ = test_directory();
  const fs::path folder_ = root_ / "hello";
  Manifest manifest_;
};

TEST_F(Signed, ByATrustedKeyIsAcceptedInBothForms) {
  for (const auto* form : {"", "-l"}) {
    sign("author", form);
    const auto checked = check();
    ASSERT_TRUE(checked) << checked.error().message;
    EXPECT_EQ(checked->key, key("author").text);
    EXPECT_EQ(checked->comment, "hello 1.0.0");
    EXPECT_FALSE(checked->overridden);
  }
}

TEST_F(Signed, NeedsNoSignatureWhileNoKeyIsTrusted) {
  EXPECT_EQ(check_signature(manifest_, {}, false)->words, "none");
  sign("author");
  const auto checked = check_signature(manifest_, {}, false);
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->key, "");
  EXPECT_THAT(checked->words, HasSubstr("not verified"));
}

TEST_F(Signed, WithoutASignatureIsRefusedUnlessThatIsPermitted) {
  EXPECT_THAT(refusal(), HasSubstr("org.example.hello is not installed: it has no signature"));
  EXPECT_THAT(check().error().hint, HasSubstr("--unsigned"));
  const auto checked = check(true);
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->overridden);
  EXPECT_EQ(checked->key, "");
}

TEST_F(Signed, ByAnotherKeyIsRefusedUnlessThatIsPermitted) {
  sign("stranger");
  EXPECT_THAT(refusal(), HasSubstr("which trusted_keys does not have"));
  EXPECT_THAT(refusal(), HasSubstr(minisign_key_id(key("stranger").id)));
  EXPECT_TRUE(check(true)->overridden);
}

TEST_F(Signed, OfAnotherManifestIsAlwaysRefused) {
  sign("author");
  std::ofstream(manifest_.path, std::ios::app) << "# changed\n";
  for (const bool may_be_unsigned : {false, true}) {
    EXPECT_THAT(refusal(may_be_unsigned), HasSubstr("its signature is invalid"));
  }
}

TEST_F(Signed, WithAChangedCommentIsAlwaysRefused) {
  sign("author");
  auto text = *read_file(folder_ / kSignatureFile);
  text.replace(text.find("hello 1.0.0"), 11, "hello 9.0.0");
  std::ofstream(folder_ / kSignatureFile) << text;
  for (const bool may_be_unsigned : {false, true}) {
    EXPECT_THAT(refusal(may_be_unsigned), HasSubstr("its signature is invalid"));
  }
}

TEST_F(Signed, ByAKeyThatTookTheIdOfATrustedOneIsAlwaysRefused) {
  sign("stranger");
  auto forged = key("author");
  forged.id = key("stranger").id;
  EXPECT_FALSE(check_signature(manifest_, {forged}, true));
}

TEST_F(Signed, WithAFileThatIsNoSignatureIsAlwaysRefused) {
  for (const std::string& text :
       {std::string(), std::string("x"), std::string(kMaxSignature + 1, 'x')}) {
    std::ofstream(folder_ / kSignatureFile) << text;
    EXPECT_NE(refusal(true), "none");
    EXPECT_FALSE(check_signature(manifest_, {}, true));
  }
}

}  // namespace
}  // namespace quarry::plugins
