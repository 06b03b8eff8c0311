#include "base/file.h"
#include "corpus/snapshot/pack.h"

#include <quarry/testing_tree.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::resources {
namespace {

/// The tree of the plugin authors' test kit accepts, refuses and stores the paths that a snapshot
/// does, with the same messages.
class KitTree : public ::testing::Test {
 protected:
  ~KitTree() override { std::filesystem::remove_all(root_); }

  /// Adds a file at each path to both, and compares the results and the stored paths.
  void compare(const std::vector<std::string>& paths) {
    auto snapshot = *corpus::SnapshotWriter::create(*make_temp_directory(root_, "s"), {}, {});
    quarry::testing::Tree kit;
    std::set<std::string> stored;
    for (const std::string& path : paths) {
      const Status expected = snapshot->add(path, "text");
      const auto status = kit.get()->add_file(kit.get(), as_text(path), as_text("text"));
      expect_same(expected, kit.failure());
      EXPECT_EQ(status, kit.failure().status) << path;
      if (!expected) return;
    }
    EXPECT_EQ(kit.left_out.size(), snapshot->left_out());
    for (const auto& [path, text] : kit.files) stored.insert(path);
    EXPECT_EQ(stored, paths_of(**snapshot->finish()));
  }
  static void expect_same(const Status& expected, const Failure& failure) {
    if (expected) {
      EXPECT_EQ(failure.status, QUARRY_OK) << failure.message;
      return;
    }
    EXPECT_EQ(failure.status, static_cast<quarry_status>(expected.error().code));
    EXPECT_EQ(failure.message, expected.error().message);
    EXPECT_EQ(failure.hint, expected.error().hint);
  }
  static std::set<std::string> paths_of(const corpus::Snapshot& snapshot) {
    std::set<std::string> paths;
    for (const corpus::FileRef file : snapshot.files()) {
      paths.emplace(snapshot.segment(file).path(file.file));
    }
    return paths;
  }

  std::filesystem::path root_ =
      *make_temp_directory(std::filesystem::temp_directory_path(), "quarry-kit-");
};

std::string levels(int count) {
  std::string path;
  for (int i = 1; i < count; ++i) path += "d/";
  return path + "f";
}

TEST_F(KitTree, RefusesThePathsThatTheHostRefuses) {
  for (const std::string& path : {std::string("../a"), std::string("a/../b"), std::string(".."),
                                  std::string("/a"), std::string("a\0b", 3), std::string(),
                                  std::string("."), std::string("./"), std::string("//")}) {
    SCOPED_TRACE(path);
    compare({path});
  }
}

TEST_F(KitTree, RefusesAPathThatWasAddedBefore) {
  compare({"a", "b", "a"});
  compare({"a/b", "./a//b/"});
}

TEST_F(KitTree, StoresPathsInTheirCanonicalForm) {
  compare({"a//b/./c", "./d", "e/", "..f/g..", "B\xff\xfe", "Grüße", "a\nb"});
  compare({"name", "name/beneath"});
}

TEST_F(KitTree, LeavesOutPathsThatAreTooLongOrTooDeep) {
  compare({std::string(1024, 'a'), std::string(1025, 'b'), levels(64), levels(65),
           std::string(4096, 'c'), std::string(4097, 'd'), std::string(1 << 20, 'e'), "kept"});
}

TEST_F(KitTree, HasTheSameLimitOfAFile) {
  quarry::testing::Tree kit;
  const corpus::PackLimits limits;
  EXPECT_EQ(kit.get()->file_limit, limits.file_bytes);
  const std::string large(limits.file_bytes + 1, 'a');
  EXPECT_EQ(kit.get()->add_file(kit.get(), as_text("large"), as_text(large)), QUARRY_OK);
  EXPECT_EQ(kit.large.at("large"), large.size());
  EXPECT_TRUE(kit.files.empty());
}

TEST_F(KitTree, RefusesTooManyFilesInTheHostsWords) {
  auto snapshot =
      *corpus::SnapshotWriter::create(*make_temp_directory(root_, "s"), {.files = 1}, {});
  quarry::testing::Tree kit;
  kit.refuse_after(1);
  for (const char* path : {"a", "b"}) {
    const Status expected = snapshot->add(path, "");
    kit.get()->add_file(kit.get(), as_text(path), {});
    expect_same(expected, kit.failure());
  }
  EXPECT_EQ(kit.failure().status, QUARRY_RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace quarry::resources
