#pragma once

#include "base/file.h"
#include "plugins/registry.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <quarry_places.h>
#include <quarry_test.h>
#include <span>
#include <string>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {

inline const std::chrono::milliseconds kProbeLimit = patience(std::chrono::seconds(60));

/// A directory of plugins copied from those built for these tests.
class Plugins : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = make_temp_directory(std::filesystem::temp_directory_path(), "quarry-plugins-");
    ASSERT_TRUE(made);
    root_ = *made;
    std::filesystem::create_directory(root_ / "plugins");
    options_.directories = {root_ / "plugins"};
    options_.probed_list = root_ / "state" / "probed";
    options_.probe_command = {QUARRY_BUILD_DIR "/bin/quarry-validate", "--probe"};
    options_.probe_limit = kProbeLimit;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  std::filesystem::path add(const std::string& name) {
    const auto to = root_ / "plugins" / name;
    std::filesystem::copy(std::filesystem::path(QUARRY_BUILD_DIR) / "tests" / "plugins" / name, to);
    return to;
  }
  static void edit(const std::filesystem::path& manifest, const std::string& from,
                   const std::string& to) {
    auto text = *read_file(manifest);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
    std::ofstream(manifest) << text;
  }
  /// Loads the plugins; returns the message of the only problem, or the number of problems.
  std::string problem() {
    const auto registry = Registry::load(options_);
    const auto& problems = registry->problems();
    if (problems.size() != 1) return std::to_string(problems.size()) + " problems";
    EXPECT_FALSE(problems.front().hint.empty()) << problems.front().message;
    return problems.front().message;
  }
  /// An edit of the plugin hello's manifest, and words of the problem that it makes.
  struct Edit {
    const char *from, *to, *words;
  };
  void expect_problems(std::span<const Edit> edits) {
    for (const auto& [from, to, words] : edits) {
      const auto directory = add("hello");
      edit(directory / "plugin.toml", from, to);
      EXPECT_THAT(problem(), ::testing::HasSubstr(words)) << to;
      std::filesystem::remove_all(directory);
    }
  }

  std::filesystem::path root_;
  RegistryOptions options_;
};

}  // namespace quarry::plugins
