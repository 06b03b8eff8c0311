#pragma once

#include "base/file.h"

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace quarry::corpus {

/// A fresh directory for each test, removed afterwards.
class DirectoryFixture : public ::testing::Test {
 protected:
  /// Paths and texts.
  using Files = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  void SetUp() override {
    root_ = *make_temp_directory(std::filesystem::temp_directory_path(), "quarry-corpus-");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  /// A new empty directory.
  std::filesystem::path new_directory() { return *make_temp_directory(root_, "d"); }

  /// Writes a file and the directories above it.
  static void write(const std::filesystem::path& path, std::string_view bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

  std::filesystem::path root_;
};

}  // namespace quarry::corpus
