#pragma once

#include "base/file.h"
#include "corpus/collection.h"
#include "corpus/pack.h"

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace quarry::corpus {

/// For tests of this room: a fresh directory, removed afterwards, and snapshots made from literals.
class SnapshotFixture : public testing::Test {
 protected:
  using Files = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  void SetUp() override {
    root_ = *make_temp_directory(std::filesystem::temp_directory_path(), "quarry-corpus-");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  /// A new empty directory.
  std::filesystem::path new_directory() { return *make_temp_directory(root_, "d"); }

  /// A snapshot of these files, nothing left out.
  std::shared_ptr<const Snapshot> snapshot(const Files& files) {
    const PackRules everything{false, false, false};
    auto writer = *SnapshotWriter::create(new_directory(), {}, everything);
    for (const auto& [path, text] : files) {
      const Status added = writer->add(path, text);
      EXPECT_TRUE(added) << added.error().message;
    }
    return *writer->finish();
  }

  /// A collection of one source.
  Collection collection(std::string name, const Files& files) {
    return Collection({{std::move(name), snapshot(files)}});
  }

  std::filesystem::path root_;
};

}  // namespace quarry::corpus
