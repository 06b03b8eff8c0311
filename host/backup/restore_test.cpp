#include "backup/restore.h"

#include "backup/testing/backup_fixture.h"

#include <unistd.h>

#include <sys/stat.h>

namespace quarry::backup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A host with a backup, that has changed since.
class RestoreTest : public BackupTest {
 protected:
  RestoreTest() {
    EXPECT_TRUE(create_private_directories(to_.parent_path()));
    EXPECT_TRUE(back_up(places_, to_, work()));
    ask("second");
    write(configuration(), "[log]\n");
    store_.text = "others";
    write(places_.state / services::kSecretsKeyFile, "another key");
  }

  void expect_changed_state() const {
    EXPECT_THAT(asked(history()), ElementsAre("first", "second"));
    EXPECT_EQ(read_file(configuration()).value(), "[log]\n");
    EXPECT_EQ(store_.text, "others");
    EXPECT_EQ(read_file(places_.state / services::kSecretsKeyFile).value(), "another key");
    EXPECT_FALSE(interrupted_restore(places_.state));
  }
  void expect_restored_state() const {
    EXPECT_THAT(asked(history()), ElementsAre("first"));
    EXPECT_EQ(read_file(configuration()).value(), "[server]\n");
    EXPECT_EQ(store_.text, "projects");
    EXPECT_EQ(read_file(places_.state / services::kSecretsKeyFile).value(), "the key");
    EXPECT_FALSE(interrupted_restore(places_.state));
    EXPECT_FALSE(std::filesystem::exists(history().string() + ".restoring"));
  }
};

TEST_F(RestoreTest, ReplacesEveryPartAndKeepsWhatWasThere) {
  const auto done = restore(places_, to_, true, work());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->parts, ElementsAre(Part::kConfiguration, Part::kHistory, Part::kStore));
  EXPECT_THAT(done->files, ElementsAre(configuration()));
  expect_restored_state();
  ASSERT_TRUE(done->replaced);
  EXPECT_EQ(*done->replaced, places_.state / "before-restore/2027-01-15T08:00:00Z");

  const auto back = restore(places_, *done->replaced, true, work());
  ASSERT_TRUE(back) << back.error().message;
  expect_changed_state();
  EXPECT_EQ(*back->replaced, places_.state / "before-restore/2027-01-15T08:00:00Z-2");
}

TEST_F(RestoreTest, ReplacesTheWantedPartAlone) {
  const auto done = restore(places_, to_, false, work({Part::kHistory}));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->parts, ElementsAre(Part::kHistory));
  EXPECT_THAT(asked(history()), ElementsAre("first"));
  EXPECT_EQ(store_.text, "others");
  EXPECT_EQ(read_file(configuration()).value(), "[log]\n");
}

TEST_F(RestoreTest, OnAnotherMachineMakesEverything) {
  TextStore store;
  store.text = "";
  const Places fresh{
      root_ / "fresh/state", {{"user.toml", root_ / "fresh/config/quarry.toml"}}, &store};
  ASSERT_TRUE(create_private_directories(fresh.state));
  const auto done = restore(fresh, to_, true, work());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_FALSE(done->replaced);
  EXPECT_EQ(store.text, "projects");
  EXPECT_THAT(asked(fresh.state / services::kHistoryFile), ElementsAre("first"));
  EXPECT_EQ(read_file(fresh.configuration[0].path).value(), "[server]\n");
}

TEST_F(RestoreTest, OfDamagedFilesChangesNothing) {
  const Manifest manifest = read_manifest(to_).value();
  for (const BackedUpFile& file : manifest.files) {
    const std::string bytes = read_file(to_ / file.path).value();
    write(to_ / file.path, bytes + "x");
    const auto done = restore(places_, to_, true, work());
    EXPECT_EQ(done.error().code, Code::kDataLoss) << file.path;
    expect_changed_state();
    write(to_ / file.path, bytes);
  }
  EXPECT_FALSE(std::filesystem::exists(places_.state / "before-restore"));
}

TEST_F(RestoreTest, OfAPartThatIsNotThereSaysSo) {
  const auto other = root_ / "backups/two";
  ASSERT_TRUE(back_up(places_, other, work({Part::kHistory})));
  const auto missing = restore(places_, other, false, work({Part::kStore}));
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("has no store"));
  const auto all = restore(places_, other, true, work());
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(all->parts, ElementsAre(Part::kHistory));
}

TEST_F(RestoreTest, WithoutAStoreOrAPlaceForAFileChangesNothing) {
  places_.store = nullptr;
  EXPECT_EQ(restore(places_, to_, true, work()).error().code, Code::kUnsupported);
  places_.store = &store_;
  auto files = std::exchange(places_.configuration, {});
  const auto refused = restore(places_, to_, true, work());
  places_.configuration = std::move(files);
  EXPECT_EQ(refused.error().code, Code::kNotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("configuration/user.toml"));
  expect_changed_state();
}

TEST_F(RestoreTest, OfANewerHistoryChangesNothing) {
  const auto other = root_ / "backups/two";
  ASSERT_TRUE(back_up(places_, other, work({Part::kHistory})));
  ASSERT_TRUE(history::Database::open(other / kHistoryPath)->run("PRAGMA user_version = 99"));
  Manifest manifest = read_manifest(other).value();
  manifest.files = {describe(other, kHistoryPath, Part::kHistory, "").value()};
  ASSERT_TRUE(write_manifest(other, manifest));
  const auto refused = restore(places_, other, true, work());
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  expect_changed_state();
  EXPECT_FALSE(std::filesystem::exists(history().string() + ".restoring"));
}

TEST_F(RestoreTest, KeepsADamagedHistoryUnderAnotherName) {
  for (const char* companion : {"", "-wal", "-shm"}) {
    std::filesystem::remove(history().string() + companion);
  }
  write(history(), std::string(8192, 'x'));
  ASSERT_TRUE(restore(places_, to_, true, work()));
  expect_restored_state();
  int damaged = 0;
  for (const std::string& name : entries(places_.state)) {
    damaged += name.starts_with("history.db.damaged-") ? 1 : 0;
  }
  EXPECT_EQ(damaged, 1);
}

TEST_F(RestoreTest, IsSeenByThoseWhoUseTheHistory) {
  auto reader = history::open_history(history());
  const auto count = [&] {
    std::int64_t found = 0;
    EXPECT_TRUE(reader->each("SELECT COUNT(*) FROM question", {},
                             [&](const history::Row& row) { found = row.integer(0); }));
    return found;
  };
  EXPECT_EQ(count(), 2);
  ASSERT_TRUE(restore(places_, to_, true, work()));
  EXPECT_EQ(count(), 1);
}

TEST_F(RestoreTest, ThatFailsHalfWaySaysHowToGoOnAndBack) {
  store_.load_failure = Error(Code::kUnavailable, "unreachable");
  const auto failed = restore(places_, to_, true, work());
  EXPECT_EQ(failed.error().message, "unreachable");
  EXPECT_THAT(failed.error().hint, HasSubstr("quarry restore " + to_.string() + "; or go back"));
  const auto found = interrupted_restore(places_.state);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Complete it: quarry restore " + to_.string()));
  const auto lock = lock_state(places_.state);
  EXPECT_FALSE(interrupted_restore(places_.state)) << "while it runs";
  store_.load_failure.reset();
  ASSERT_TRUE(restore(places_, to_, true, work()));
  expect_restored_state();
}

TEST_F(RestoreTest, KeepsTheKeyOfAStoreThatRefusesTheDump) {
  store_.load_failure = Error(Code::kUnsupported, "the dump is of a later store");
  EXPECT_FALSE(restore(places_, to_, true, work()));
  EXPECT_EQ(store_.text, "others");
  EXPECT_EQ(read_file(places_.state / services::kSecretsKeyFile).value(), "another key");
}

TEST_F(RestoreTest, OfNamedPartsIsCompletedWithTheseAlone) {
  store_.load_failure = Error(Code::kUnavailable, "unreachable");
  const auto failed = restore(places_, to_, false, work({Part::kStore}));
  EXPECT_THAT(failed.error().hint,
              HasSubstr("quarry restore " + to_.string() + " --only store; or go back"));
}

TEST_F(RestoreTest, ThatFailsAgainGoesBackToWhatWasThereBeforeTheFirstTime) {
  store_.load_failure = Error(Code::kUnavailable, "unreachable");
  ASSERT_FALSE(restore(places_, to_, true, work()));
  const auto first = places_.state / "before-restore/2027-01-15T08:00:00Z";
  ASSERT_TRUE(std::filesystem::exists(first));
  const auto again = restore(places_, to_, true, work());
  EXPECT_THAT(again.error().hint, HasSubstr("go back: quarry restore " + first.string() + "."));
  store_.load_failure.reset();
  EXPECT_EQ(restore(places_, to_, true, work())->replaced, first);
}

TEST_F(RestoreTest, TellsACommandThatAShellReadsAsItIsMeant) {
  const auto other = root_ / "my backups";
  ASSERT_TRUE(back_up(places_, other, work()));
  store_.load_failure = Error(Code::kUnavailable, "unreachable");
  EXPECT_THAT(restore(places_, other, true, work()).error().hint,
              HasSubstr("quarry restore '" + other.string() + "'; or go back"));
}

TEST_F(RestoreTest, IsCancelledBeforeItChangesAnything) {
  const std::size_t looks_before_the_audit = read_manifest(to_)->files.size() + 4;
  for (std::size_t look = 1; look <= looks_before_the_audit; ++look) {
    cancelled_after_ = static_cast<int>(look);
    EXPECT_EQ(restore(places_, to_, true, work()).error().code, Code::kCancelled) << look;
    expect_changed_state();
  }
}

TEST_F(RestoreTest, ReplacesTheFileThatALinkLeadsTo) {
  const auto target = root_ / "dotfiles/quarry.toml";
  write(target, "[log]\n");
  std::filesystem::remove(configuration());
  std::filesystem::create_symlink(target, configuration());
  ASSERT_TRUE(restore(places_, to_, true, work()));
  EXPECT_TRUE(std::filesystem::is_symlink(configuration()));
  EXPECT_EQ(read_file(target).value(), "[server]\n");
}

TEST_F(RestoreTest, OfAFileThatCannotBeReplacedChangesNothing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ASSERT_EQ(::chmod(configuration().parent_path().c_str(), 0500), 0);
  EXPECT_EQ(restore(places_, to_, true, work()).error().code, Code::kPermissionDenied);
  expect_changed_state();
  const auto file =
      std::exchange(places_.configuration[0].path, root_ / "config/new/folder/quarry.toml");
  EXPECT_EQ(restore(places_, to_, true, work()).error().code, Code::kPermissionDenied);
  places_.configuration[0].path = file;
  expect_changed_state();
  ASSERT_EQ(::chmod(configuration().parent_path().c_str(), 0700), 0);
}

TEST_F(RestoreTest, LeavesAFileThatIsTheSame) {
  write(configuration(), "[server]\n");
  ASSERT_EQ(::chmod(configuration().parent_path().c_str(), 0500), 0);
  const auto done = restore(places_, to_, true, work());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->files, IsEmpty());
  ASSERT_EQ(::chmod(configuration().parent_path().c_str(), 0700), 0);
}

}  // namespace
}  // namespace quarry::backup
