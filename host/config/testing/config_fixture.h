#pragma once

#include "base/file.h"
#include "config/config.h"
#include "config/trust_list.h"

#include <filesystem>
#include <quarry_test.h>
#include <string>

#include <gtest/gtest.h>

namespace quarry::config {

/// A fixture with its own directory for every test.
class InDirectory : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::filesystem::path& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    EXPECT_TRUE(write_file_atomically(root_ / name, text));
    return root_ / name;
  }
  std::string text(const std::filesystem::path& name) { return *read_file(root_ / name); }

  /// Sources with the project, user and system files of this test.
  Sources sources() {
    std::filesystem::create_directories(root_ / "project/deep");
    return {root_ / "project/deep",
            root_ / "user",
            root_ / "system.toml",
            {},
            {},
            {},
            trust_,
            [](const auto&) { return open_fields(); }};
  }
  /// The same, after recording trust in the project file's present content.
  Sources trusting_sources() {
    const auto file = root_ / "project/quarry.toml";
    if (std::filesystem::exists(file)) {
      EXPECT_TRUE(list_.record(file, {text("project/quarry.toml")}));
    }
    return sources();
  }

  /// As the schemas of plugins may say.
  static OpenFields open_fields() {
    return {{"git", {{"url", "https"}, {"branch", "plain"}, {"specialNotes", "plain"}}},
            {"local", {{"path", "beneath"}}},
            {"npm", {{"package", "plain"}}}};
  }

  const std::filesystem::path root_ = test_directory();
  const std::filesystem::path trust_ = test_directory() / "trusted";
  const TrustList list_{trust_};
};

}  // namespace quarry::config
