#include "base/testing/test_executors.h"
#include "corpus/index/trigram_index.h"
#include "corpus/index/word_index.h"
#include "corpus/query/citations.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/segment/segment_format.h"
#include "corpus/tools/testing/text_page.h"

#include <chrono>
#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string many_lines(const std::string& word, std::size_t bytes) {
  std::string text;
  for (int i = 1; text.size() < bytes; ++i) text += word + " line " + std::to_string(i) + "\n";
  return text;
}

/// A snapshot of three files of a few blocks each; tests damage its files on disk.
class Damaged : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    directory_ = snapshot({{"a.txt", many_lines("alpha", kFileBytes)},
                           {"b.txt", many_lines("beta", kFileBytes)},
                           {"c.txt", many_lines("gamma", kFileBytes)}})
                     ->directory();
  }

  [[nodiscard]] fs::path part(const char* name) const { return directory_ / "segment-1" / name; }

  /// Overwrites bytes in place, as a failing disk does.
  void overwrite(const fs::path& path, std::size_t at, const std::string& bytes) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
  }

  /// Opens the snapshot as one that was written long ago, so that a write shows in the times.
  Collection open() {
    for (const auto& file : fs::directory_iterator(part(""))) {
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
    return Collection({{"docs", *Snapshot::open(directory_, [this](Damage damage) {
                          std::lock_guard lock(mutex_);
                          reports_.push_back(damage);
                        })}});
  }
  Result<std::string> run(const Collection& collection, Retrieve tool, const Json& arguments) {
    return text_page(tool, collection, arguments, executor_);
  }
  static bool is_verified(const Collection& collection, const std::string& answer) {
    const auto citations = check_citations(collection, answer);
    return citations.size() == 1 && citations.front().verified;
  }

  static constexpr std::size_t kFileBytes = 3 * kTextBlockBytes;
  static constexpr std::size_t kMiddleOfB = kFileBytes + kFileBytes / 2;
  fs::path directory_;
  std::mutex mutex_;
  std::vector<Damage> reports_;
  ThreadPerJob executor_;
};

TEST_F(Damaged, TextIsAnErrorOfItsFileAndNothingElse) {
  overwrite(part(kTextFile), kMiddleOfB, "X");
  const Collection docs = open();
  const auto read = run(docs, read_page, {{"path", "docs/b.txt"}});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().tag, "SnapshotDamaged");
  EXPECT_THAT(read.error().message, HasSubstr("docs: \"b.txt\" cannot be read"));
  EXPECT_TRUE(run(docs, read_page, {{"path", "docs/a.txt"}}));
  EXPECT_TRUE(run(docs, read_page, {{"path", "docs/c.txt"}}));
  EXPECT_THAT(reports_, ElementsAre(Damage::kText)) << "reported once";
}

TEST_F(Damaged, TextIsPassedOverByGrepWhichSaysSo) {
  overwrite(part(kTextFile), kMiddleOfB, std::string(8192, '\0'));
  const Collection docs = open();
  const auto found = run(docs, grep_page, {{"pattern", "line 7$"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, HasSubstr("alpha line 7"));
  EXPECT_THAT(*found, HasSubstr("gamma line 7"));
  EXPECT_THAT(*found, Not(HasSubstr("beta line 7")));
  EXPECT_THAT(*found, HasSubstr("\n(NOT READ, since the copy in the cache is damaged and is being "
                                "made again: docs/b.txt)"));
  const auto none = run(docs, grep_page, {{"pattern", "beta"}});
  ASSERT_FALSE(none) << "files that were not read may have matches";
  EXPECT_EQ(none.error().tag, "SnapshotDamaged");
}

TEST_F(Damaged, TextIsPassedOverBySearchWhichSaysSo) {
  overwrite(part(kTextFile), kMiddleOfB, std::string(8192, '\0'));
  const Collection docs = open();
  const auto found = run(docs, search_page, {{"query", "gamma line"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, HasSubstr("docs/c.txt:1: "));
  EXPECT_THAT(*found, HasSubstr("damaged and is being made again: docs/b.txt"));
  EXPECT_EQ(run(docs, search_page, {{"query", "beta"}}).error().tag, "SnapshotDamaged");
}

TEST_F(Damaged, TextIsNeverCitedAsVerified) {
  const std::string answer = "[docs:b.txt#L2-L3]\n```\nbeta line 2\nbeta line 3\n```\n";
  const Collection docs = open();
  ASSERT_TRUE(is_verified(docs, answer));
  ASSERT_TRUE(run(docs, grep_page, {{"pattern", "beta line 3$"}}));
  overwrite(part(kTextFile), (*docs.sources()[0].snapshot).segments()[0]->offset_of(1) + 10, "9");
  EXPECT_FALSE(is_verified(docs, answer)) << "damaged after it was read and found sound";
  EXPECT_FALSE(is_verified(docs, "[docs:b.txt#L2-L3]\n```\nbeta line 9\nbeta line 3\n```\n"));
  EXPECT_TRUE(is_verified(docs, "[docs:c.txt#L2]"));
  EXPECT_THAT(reports_, ElementsAre(Damage::kText));
}

TEST_F(Damaged, TextIsNoticedByReadEvenWhenItWasSoundBefore) {
  const Collection docs = open();
  ASSERT_TRUE(run(docs, read_page, {{"path", "docs/b.txt"}}));
  overwrite(part(kTextFile), kFileBytes + 100, "9");
  EXPECT_EQ(run(docs, read_page, {{"path", "docs/b.txt"}}).error().tag, "SnapshotDamaged");
}

TEST_F(Damaged, TextMayEndAtAnyMoment) {
  for (const bool read_before : {false, true}) {
    SetUp();
    const Collection docs = open();
    const auto before = read_before ? run(docs, grep_page, {{"pattern", "line"}}) : std::string();
    ASSERT_TRUE(before);
    fs::resize_file(part(kTextFile), 100);
    for (const char* const file : {"a.txt", "b.txt", "c.txt"}) {
      const auto read = run(docs, read_page, {{"path", file}, {"startLine", 4000}});
      EXPECT_FALSE(read) << file << read_before << read->substr(0, 300);
      EXPECT_FALSE(is_verified(docs, "[docs:" + std::string(file) + "]"));
      EXPECT_FALSE(is_verified(docs, "[docs:" + std::string(file) + "#L3000-L3001]"));
    }
    EXPECT_EQ(run(docs, grep_page, {{"pattern", "gamma"}}).error().tag, "SnapshotDamaged");
    EXPECT_EQ(run(docs, search_page, {{"query", "gamma"}}).error().tag, "SnapshotDamaged");
    EXPECT_TRUE(run(docs, list_page, Json::object()));
  }
}

TEST_F(Damaged, TextIsNotIndexedNorPacked) {
  overwrite(part(kTextFile), kMiddleOfB, "X");
  const Collection docs = open();
  const auto& snapshot = docs.sources()[0].snapshot;
  EXPECT_EQ(build_indexes(*snapshot, executor_, {}).error().tag, "SnapshotDamaged");
  EXPECT_FALSE(fs::exists(part(WordIndex::kFileName)));

  const PackRules everything{false, false, false};
  auto writer = *SnapshotWriter::create(new_directory(), {}, everything, snapshot);
  for (const auto& [path, word] : {std::pair{"a.txt", "alpha"}, std::pair{"b.txt", "beta"}}) {
    ASSERT_TRUE(writer->add(path, many_lines(word, kFileBytes)));
  }
  const auto again = *writer->finish();
  EXPECT_EQ(text_at(*again, "b.txt"), many_lines("beta", kFileBytes));
  EXPECT_TRUE(again->segments()[0]->check_all());
}

TEST_F(Damaged, TablesAreNotTakenOverOnceTheyWereRead) {
  const Collection docs = open();
  overwrite(part(kTableFile), 100, std::string(64, '\0'));
  const PackRules everything{false, false, false};
  auto writer =
      *SnapshotWriter::create(new_directory(), {}, everything, docs.sources()[0].snapshot);
  ASSERT_TRUE(writer->add("a.txt", many_lines("alpha", kFileBytes)));
  ASSERT_TRUE(writer->add("b.txt", many_lines("beta", kFileBytes)));
  ASSERT_TRUE(writer->add("new.txt", "new\n"));
  const auto again = writer->finish();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(text_at(**again, "b.txt"), many_lines("beta", kFileBytes));
}

/// The same with indexes, damage of which is found when they are used at the latest.
class DamagedIndexes : public Damaged {
 protected:
  void SetUp() override {
    Damaged::SetUp();
    directory_ = snapshot({{"a.txt", many_lines("alpha", TrigramIndex::kMinimumText / 2)},
                           {"b.txt", many_lines("beta", TrigramIndex::kMinimumText / 2)},
                           {"c.txt", "gamma is rare\n"}})
                     ->directory();
    const Status built = build_indexes(**Snapshot::open(directory_), executor_, {});
    ASSERT_TRUE(built) << built.error().message;
  }

  void expect_right_answers(const Collection& docs) {
    const auto grep = run(docs, grep_page, {{"pattern", "gamma is"}});
    ASSERT_TRUE(grep) << grep.error().message;
    EXPECT_THAT(*grep, HasSubstr("gamma is rare"));
    const auto search = run(docs, search_page, {{"query", "gamma rare"}});
    ASSERT_TRUE(search) << search.error().message;
    EXPECT_THAT(*search, HasSubstr("docs/c.txt:1: "));
  }
};

TEST_F(DamagedIndexes, AreDoneWithoutAndBuiltAgain) {
  for (const char* const name : {TrigramIndex::kFileName, WordIndex::kFileName}) {
    const std::size_t size = fs::file_size(part(name));
    for (const bool open_before : {false, true}) {
      for (const std::size_t cut : {std::size_t{0}, size / 2, size - 1}) {
        const Collection docs = open();
        if (open_before) expect_right_answers(docs);
        const std::string good = *read_file(part(name));
        overwrite(part(name), cut, std::string(size - cut, '\0'));
        fs::resize_file(part(name), cut);
        expect_right_answers(docs);
        expect_right_answers(docs);
        // Damage to parts that were not requested is found when the index is next opened.
        ASSERT_TRUE(build_indexes(**Snapshot::open(directory_), executor_, {}));
        EXPECT_TRUE(*read_file(part(name)) == good) << name << " cut to " << cut;
        expect_right_answers(docs);
      }
    }
  }
}

// The search opened the index again and again.
TEST_F(DamagedIndexes, ThatCannotBeRemovedAreDoneWithout) {
  if (::geteuid() == 0) GTEST_SKIP() << "root removes everything";
  const Collection docs = open();
  const std::size_t term = read_file(part(WordIndex::kFileName))->find("gamma");
  ASSERT_NE(term, std::string::npos);
  overwrite(part(WordIndex::kFileName), term, "XXXXX");
  fs::permissions(part(""), fs::perms::owner_read | fs::perms::owner_exec);
  expect_right_answers(docs);
  expect_right_answers(docs);
  fs::permissions(part(""), fs::perms::owner_all);
}

TEST_F(DamagedIndexes, AreNotBelievedWhereverTheyAreZeroedWhileTheyAreOpen) {
  constexpr std::size_t kPieces = 24;
  for (const char* const name : {TrigramIndex::kFileName, WordIndex::kFileName}) {
    const std::size_t size = fs::file_size(part(name));
    const std::string good = *read_file(part(name));
    for (std::size_t i = 0; i < kPieces; ++i) {
      const Collection docs = open();
      expect_right_answers(docs);
      const std::size_t at = size * i / kPieces;
      overwrite(part(name), at, std::string(size * (i + 1) / kPieces - at, '\0'));
      expect_right_answers(docs);
      write(part(name), good);
    }
  }
}

}  // namespace
}  // namespace quarry::corpus
