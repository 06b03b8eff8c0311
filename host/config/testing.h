#pragma once

#include "base/file.h"

#include <filesystem>
#include <quarry_test.h>
#include <string>

#include <gtest/gtest.h>

namespace quarry::config {

/// A directory of its own for every test.
class InDirectory : public testing::Test {
 protected:
  std::filesystem::path write(const std::filesystem::path& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    EXPECT_TRUE(write_file_atomically(root_ / name, text));
    return root_ / name;
  }
  std::string text(const std::filesystem::path& name) { return *read_file(root_ / name); }

  const std::filesystem::path root_ = test_directory();
};

}  // namespace quarry::config
