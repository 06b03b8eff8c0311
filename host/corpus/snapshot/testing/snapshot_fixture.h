#pragma once

#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/snapshot.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::corpus {

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

/// Makes snapshots from literals.
class SnapshotFixture : public DirectoryFixture {
 protected:
  /// A snapshot of these files, none excluded by rules.
  std::shared_ptr<const Snapshot> snapshot(const Files& files,
                                           std::shared_ptr<const Snapshot> previous = nullptr) {
    const PackRules everything{false, false, false};
    auto writer = *SnapshotWriter::create(new_directory(), {}, everything, std::move(previous));
    for (const auto& [path, text] : files) {
      const Status added = writer->add(path, text);
      EXPECT_TRUE(added) << added.error().message;
    }
    return *writer->finish();
  }
};

}  // namespace quarry::corpus
