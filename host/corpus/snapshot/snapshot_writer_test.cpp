#include "base/testing/test_executors.h"
#include "corpus/index/word_index.h"
#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <map>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::HasSubstr;

class Writer : public DirectoryFixture {
 protected:
  std::unique_ptr<SnapshotWriter> writer(PackLimits limits = {}, PackRules rules = {}) {
    return *SnapshotWriter::create(new_directory(), limits, rules);
  }
};

TEST_F(Writer, ListsWhatItCannotPack) {
  const auto tree = [&] {
    auto out = writer({.file_bytes = 10});
    EXPECT_TRUE(out->add("large", "12345678901"));
    EXPECT_TRUE(out->add("binary", std::string_view("\0\1", 2)));
    EXPECT_TRUE(out->add("text", "1234567890"));
    return *out->finish();
  }();
  const auto kind = [&](std::string_view path) {
    const FileRef file = *tree->find(path);
    return tree->segment(file).kind(file.file);
  };
  EXPECT_EQ(kind("large"), FileKind::kTooLarge);
  EXPECT_EQ(kind("binary"), FileKind::kBinary);
  EXPECT_EQ(kind("text"), FileKind::kText);
  const FileRef large = *tree->find("large");
  EXPECT_EQ(tree->segment(large).size(large.file), 11u) << "its size is still known";
  EXPECT_EQ(tree->segment(large).text(large.file), "");
}

TEST_F(Writer, ListsWhatItIsNotGivenTheBytesOf) {
  auto out = writer();
  ASSERT_TRUE(out->list("big.bin", FileKind::kTooLarge, 5ull << 30));
  ASSERT_TRUE(out->list("docs/link", FileKind::kLink, 0));
  EXPECT_TRUE(out->list(".git/config", FileKind::kLink, 0)) << "left out like any file";
  EXPECT_FALSE(out->list("big.bin", FileKind::kTooLarge, 1)) << "added before";
  EXPECT_FALSE(out->list("../out", FileKind::kLink, 0));
  const auto snapshot = out->finish();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ((*snapshot)->files().size(), 2u);
}

/// Files of one line each, "f0" to "f9".
using Texts = std::map<std::string, std::string>;
Texts ten_files() {
  Texts files;
  for (int i = 0; i < 10; ++i) files["f" + std::to_string(i)] = "line " + std::to_string(i) + "\n";
  return files;
}

class WriterAfter : public Writer {
 protected:
  /// Packs `files` after the snapshot `previous`.
  std::shared_ptr<const Snapshot> after(std::shared_ptr<const Snapshot> previous,
                                        const Texts& files) {
    auto out = *SnapshotWriter::create(new_directory(), {}, {}, std::move(previous));
    for (const auto& [path, text] : files) EXPECT_TRUE(out->add(path, text));
    const auto finished = out->finish();
    EXPECT_TRUE(finished) << finished.error().message;
    return *finished;
  }
  static Texts files_of(const Snapshot& tree) {
    Texts files;
    for (const FileRef file : tree.files()) {
      files.emplace(tree.path(file), tree.segment(file).text(file.file));
    }
    return files;
  }
  static bool shares_a_segment(const Snapshot& one, const Snapshot& other) {
    return std::filesystem::equivalent(one.segments()[0]->directory() / "text",
                                       other.segments()[0]->directory() / "text");
  }
};

TEST_F(WriterAfter, ASnapshotLinksWhatDidNotChangeAndWritesWhatDid) {
  const auto before = after(nullptr, ten_files());
  Texts files = ten_files();
  files["f3"] = "changed\n";
  files["added"] = "new\n";
  files.erase("f0");
  const auto now = after(before, files);
  EXPECT_EQ(files_of(*now), files);
  ASSERT_EQ(now->segments().size(), 2u);
  EXPECT_EQ(now->segments()[1]->file_count(), 2u);
  EXPECT_TRUE(shares_a_segment(*before, *now));
}

TEST_F(WriterAfter, TheSameFilesAreNotWrittenAtAll) {
  const auto before = after(nullptr, ten_files());
  const auto now = after(before, ten_files());
  EXPECT_EQ(files_of(*now), ten_files());
  EXPECT_EQ(now->segments().size(), 1u);
  EXPECT_TRUE(shares_a_segment(*before, *now));
}

TEST_F(WriterAfter, IndexesComeAlongWithTheirSegment) {
  ThreadPerJob executor;
  const auto before = after(nullptr, ten_files());
  ASSERT_TRUE(build_indexes(*before, executor, {}));
  EXPECT_TRUE(after(before, ten_files())->words(0));
}

TEST_F(WriterAfter, WhenMostChangedEverythingIsWrittenAnew) {
  const auto before = after(nullptr, ten_files());
  Texts files = ten_files();
  for (int i = 0; i < 6; ++i) files["f" + std::to_string(i)] = "changed\n";
  const auto now = after(before, files);
  EXPECT_EQ(files_of(*now), files);
  EXPECT_EQ(now->segments().size(), 1u);
  EXPECT_FALSE(shares_a_segment(*before, *now));
}

TEST_F(WriterAfter, ManySmallChangesDoNotMakeManySegments) {
  auto tree = after(nullptr, ten_files());
  Texts files = ten_files();
  for (int i = 0; i < 30; ++i) {
    files["f9"] = "change " + std::to_string(i) + "\n";
    tree = after(tree, files);
    ASSERT_EQ(files_of(*tree), files);
    ASSERT_LE(tree->segments().size(), 8u);
  }
}

TEST_F(WriterAfter, WhatCannotBeLinkedIsCopied) {
  const auto before = after(nullptr, ten_files());
  std::filesystem::remove_all(before->directory());
  EXPECT_EQ(files_of(*after(before, ten_files())), ten_files());
}

// The copy would have had sound digests of its own.
TEST_F(WriterAfter, WhatWasDamagedSinceItWasComparedIsNotCopied) {
  const auto before = after(nullptr, ten_files());
  auto out = *SnapshotWriter::create(new_directory(), {}, {}, before);
  for (const auto& [path, text] : ten_files()) EXPECT_TRUE(out->add(path, text));
  const auto text = before->segments()[0]->directory() / "text";
  write(text, std::string(std::filesystem::file_size(text), 'X'));
  std::filesystem::remove_all(before->directory());
  const auto finished = out->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().tag, "SnapshotDamaged");
}

TEST_F(WriterAfter, AFileThatBecameAnotherKindIsWritten) {
  const auto before = after(nullptr, {{"a", "text"}, {"b", "x"}, {"c", "y"}});
  const auto now = after(before, {{"a", std::string("\0bin", 4)}, {"b", "x"}, {"c", "y"}});
  const FileRef file = *now->find("a");
  EXPECT_EQ(now->segment(file).kind(file.file), FileKind::kBinary);
}

TEST_F(Writer, DividesLargeTreesIntoSegments) {
  auto out = writer({.segment_bytes = 10});
  const std::string text = "12345678\n";
  for (const char* path : {"d", "b", "c", "a", "e"}) EXPECT_TRUE(out->add(path, text + path));
  const auto tree = *out->finish();
  EXPECT_THAT(paths_of(*tree, tree->files()), ::testing::ElementsAre("a", "b", "c", "d", "e"));
  for (const FileRef file : tree->files()) {
    EXPECT_EQ(tree->segment(file).text(file.file), text + std::string(tree->path(file)));
  }
  EXPECT_EQ(tree->segments().size(), 5u);
}

TEST_F(Writer, NormalisesPathsAndRefusesBadOnes) {
  auto out = writer();
  EXPECT_TRUE(out->add("./a//b", "x"));
  EXPECT_THAT(out->add("a/b", "y").error().message, HasSubstr("\"a/b\" was added twice"));
  EXPECT_EQ(out->add("../up", "").error().code, Code::kInvalidArgument);
  EXPECT_EQ(out->add("/etc/passwd", "").error().code, Code::kInvalidArgument);
  EXPECT_EQ(out->add(".", "").error().code, Code::kInvalidArgument);
  EXPECT_TRUE((*out->finish())->find("a/b"));
}

TEST_F(Writer, KeepsNamesThatDifferInCaseOnly) {
  auto out = writer();
  EXPECT_TRUE(out->add("Makefile", "1"));
  EXPECT_TRUE(out->add("makefile", "2"));
  EXPECT_EQ((*out->finish())->files().size(), 2u);
}

TEST_F(Writer, DropsWhatTheRulesLeaveOut) {
  const auto left_out = {".git/config", "a/node_modules/b.js", ".env", "keys/id_rsa",
                         "x/server.pem"};
  auto out = writer();
  for (const char* path : left_out) EXPECT_TRUE(out->add(path, "x"));
  EXPECT_TRUE(out->add(".env.example", "x"));
  EXPECT_TRUE(out->add("dist/index.js", "x")) << "what somebody ships in dist is meant to be there";
  EXPECT_EQ((*out->finish())->files().size(), 2u);

  auto all = writer({}, {false, false, false});
  for (const char* path : left_out) EXPECT_TRUE(all->add(path, "x"));
  EXPECT_EQ((*all->finish())->files().size(), 4u) << "all but version control";
}

TEST_F(Writer, LeavesOutPrivateKeysAndCountsThemWithOtherSecrets) {
  const std::string key = "-----BEGIN PRIVATE KEY-----\n" + std::string(64, 'A') + "\n";
  auto out = writer();
  EXPECT_TRUE(out->add("notes.md", "# Notes\n" + key));
  EXPECT_TRUE(out->add(".kube/config", "x"));
  EXPECT_TRUE(out->add("node_modules/a.js", "x"));
  EXPECT_TRUE(out->add("main.c", "x"));
  EXPECT_EQ(out->secrets(), 2u);
  const auto made = *out->finish();
  ASSERT_EQ(made->files().size(), 2u);
  const FileRef notes = *made->find("notes.md");
  EXPECT_EQ(made->segment(notes).kind(notes.file), FileKind::kSecret);
  EXPECT_EQ(made->segment(notes).text(notes.file), "");

  auto all = writer({}, {false, false, false});
  EXPECT_TRUE(all->add("notes.md", key));
  EXPECT_EQ(all->secrets(), 0u);
}

TEST_F(Writer, NamesTheLimitThatIsExceeded) {
  const auto message = [](const Status& status) {
    EXPECT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kResourceExhausted);
    EXPECT_FALSE(status.error().hint.empty());
    return status.error().message;
  };
  auto few = writer({.files = 1});
  EXPECT_TRUE(few->add("a", ""));
  EXPECT_THAT(message(few->add("b", "")), HasSubstr("more than 1 files"));
  EXPECT_THAT(message(writer({.total_bytes = 3})->add("a", "1234")), HasSubstr("3 bytes"));
}

TEST_F(Writer, LeavesOutAndCountsPathsThatAreTooLongOrTooDeep) {
  auto out = writer({.depth = 2, .path_bytes = 5});
  for (const char* path : {"a/b", "a/b/c", "abcdef", "abcde", "./a//b2"}) {
    EXPECT_TRUE(out->add(path, "x")) << path;
  }
  EXPECT_TRUE(out->list("l/i/nk", FileKind::kLink, 0));
  EXPECT_TRUE(out->add(std::string(5000, 'n'), "x"));
  EXPECT_FALSE(out->add("../a", "x"));
  EXPECT_FALSE(out->add(std::string_view("a\0b", 3), "x"));
  EXPECT_EQ(out->left_out(), 4u);
  const auto snapshot = out->finish().value();
  std::vector<std::string> paths;
  for (const FileRef file : snapshot->files()) paths.emplace_back(snapshot->path(file));
  EXPECT_THAT(paths, ::testing::ElementsAre("a/b", "a/b2", "abcde"));
}

TEST_F(Writer, SaysWhereItCannotWrite) {
  const auto out = SnapshotWriter::create(root_ / "missing" / "deeper", {}, {});
  EXPECT_EQ(out.error().code, Code::kNotFound);
  EXPECT_THAT(out.error().message, HasSubstr("missing/deeper"));
}

}  // namespace
}  // namespace quarry::corpus
