#pragma once

#include "base/executor.h"
#include "base/file.h"
#include "corpus/collection.h"
#include "corpus/pack.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::corpus {

/// A thread a job: the widest interleaving there is.
class ThreadPerJob final : public Executor {
 public:
  ~ThreadPerJob() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> job) override {
    std::lock_guard lock(mutex_);
    threads_.emplace_back(std::move(job));
  }
  [[nodiscard]] std::size_t concurrency() const override { return 4; }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

/// Paths of `files` in order.
inline std::vector<std::string> paths_of(const Snapshot& snapshot, std::span<const FileRef> files) {
  std::vector<std::string> out;
  for (const FileRef file : files) out.emplace_back(snapshot.path(file));
  return out;
}

/// The text of the file at `path`, or "(none)".
inline std::string text_at(const Snapshot& snapshot, std::string_view path) {
  const auto file = snapshot.find(path);
  return file ? std::string(snapshot.segment(*file).text(file->file)) : "(none)";
}

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

  /// Writes a file and the directories above it.
  static void write(const std::filesystem::path& path, std::string_view bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

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
