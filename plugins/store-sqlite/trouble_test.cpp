#include "store-sqlite/testing/fixture.h"
#include "store_sql/money.h"

#include <csignal>
#include <fstream>
#include <sched.h>

#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>

namespace quarry::store_sqlite {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uid_t kNobody = 65534;

class Trouble : public InDirectory {
 protected:
  /// Runs statements on the file like another program.
  static void run_elsewhere(sqlite3* connection, const char* sql) {
    char* message = nullptr;
    ASSERT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, &message), SQLITE_OK) << message;
  }
  [[nodiscard]] sqlite3* open_elsewhere() const {
    sqlite3* connection = nullptr;
    EXPECT_EQ(sqlite3_open(file().c_str(), &connection), SQLITE_OK);
    return connection;
  }
  std::string open_store() { return answer_text(make_store()->open(Call(call_.get()), "{}")); }
  static std::string status(quarry_status status) { return std::to_string(status) + ": "; }

  quarry::testing::FakeCall call_;
};

TEST_F(Trouble, WithANewerSchemaSaysBothNumbersAndWhatToDo) {
  ASSERT_EQ(open_store(), R"({"schema":3})");
  sqlite3* elsewhere = open_elsewhere();
  run_elsewhere(elsewhere, "UPDATE quarry_schema SET version = 7");
  EXPECT_THAT(open_store(),
              AllOf(StartsWith(status(QUARRY_UNSUPPORTED)), HasSubstr(file().string()),
                    HasSubstr("schema 7"), HasSubstr("up to 3"), HasSubstr("newer Quarry")));
  sqlite3_close(elsewhere);
}

TEST_F(Trouble, WithAnOlderSchemaIsBroughtUpToDate) {
  ASSERT_EQ(open_store(), R"({"schema":3})");
  sqlite3* elsewhere = open_elsewhere();
  run_elsewhere(elsewhere,
                "DROP TABLE project_secrets; ALTER TABLE revision DROP COLUMN loads;"
                " UPDATE quarry_schema SET version = 1");
  EXPECT_EQ(open_store(), R"({"schema":3})");
  run_elsewhere(elsewhere, "SELECT project, resource, member, body FROM project_secrets");
  sqlite3_close(elsewhere);
}

TEST_F(Trouble, WithADamagedFileNamesIt) {
  std::ofstream(file()) << std::string(8192, 'x');
  EXPECT_THAT(open_store(), AllOf(StartsWith(status(QUARRY_INTERNAL)), HasSubstr("is damaged"),
                                  HasSubstr("Restore it")));
}

TEST_F(Trouble, WithDamagedPagesIsNotTakenForAnAnswer) {
  ASSERT_EQ(open_store(), R"({"schema":3})");
  sqlite3* elsewhere = open_elsewhere();
  run_elsewhere(elsewhere, "PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3_close(elsewhere);
  const auto size = std::filesystem::file_size(file());
  std::fstream out(file(), std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(4096);
  out << std::string(size - 4096, '\x5a');
  out.close();
  EXPECT_THAT(open_store(), HasSubstr("is damaged"));
}

TEST_F(Trouble, WithoutItsDirectorySaysSo) {
  const auto store = make_store(root_ / "none" / "store.db");
  EXPECT_THAT(answer_text(store->open(Call(call_.get()), "{}")),
              AllOf(StartsWith(status(QUARRY_NOT_FOUND)), HasSubstr("none"),
                    HasSubstr("directory exists")));
}

TEST_F(Trouble, WithAFileItMayNotWriteSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
  ASSERT_EQ(open_store(), R"({"schema":3})");
  ::chmod(root_.c_str(), 0755);
  ::chmod(file().c_str(), 0644);
  const std::string said = in_child([&] {
    if (::setuid(kNobody) != 0) return std::string("still root");
    return open_store();
  });
  EXPECT_THAT(said, AllOf(StartsWith(status(QUARRY_PERMISSION_DENIED)),
                          HasSubstr("belongs to another user")));
}

TEST_F(Trouble, WithAFullDiskKeepsWhatIsThere) {
  const std::string said = in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "skip";
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "skip";
    if (::mount("tmpfs", root_.c_str(), "tmpfs", 0, "size=2m") != 0) return "skip";
    const auto store = make_store();
    const Call call(call_.get());
    if (!store->open(call, "{}") || !store->create_project(call, project("docs"))) return "none";
    const std::string entries =
        R"({"entries":[{"at":1,"question":")" + std::string(100'000, 'q') + R"("}]})";
    for (;;) {
      const auto recorded = store->record(call, entries);
      if (recorded) continue;
      return answer_text(recorded) + " / " + answer_text(store->projects(call, "{}"));
    }
  });
  if (said == "skip") GTEST_SKIP() << "may not mount a small file system";
  EXPECT_THAT(said, AllOf(StartsWith(status(QUARRY_RESOURCE_EXHAUSTED)), HasSubstr("Free space"),
                          HasSubstr("\"name\":\"docs\"")));
}

TEST_F(Trouble, OfAProgramThatKeepsTheFileIsWaitedForWhileTheCallIsWanted) {
  ASSERT_EQ(open_store(), R"({"schema":3})");
  const auto store = make_store();
  sqlite3* elsewhere = open_elsewhere();
  run_elsewhere(elsewhere, "BEGIN IMMEDIATE");
  quarry::testing::FakeCall waiting;
  waiting.cancel_after(12);
  EXPECT_THAT(answer_text(store->create_project(Call(waiting.get()), project("docs"))),
              StartsWith(status(QUARRY_CANCELLED)));
  run_elsewhere(elsewhere, "COMMIT");
  EXPECT_EQ(answer_text(store->create_project(Call(call_.get()), project("docs"))),
            R"({"created":true})");
  sqlite3_close(elsewhere);
}

TEST_F(Trouble, OfAHostThatIsKilledLosesNothingItWasTold) {
  ASSERT_EQ(open_store(), R"({"schema":3})");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t host = ::fork();
  if (host == 0) {
    const auto store = make_store();
    for (int i = 0;; ++i) {
      const std::string request =
          R"({"id":")" + std::to_string(i) +
          R"(","token":"t","project":"docs","day":1,"usd":"0.000000001","at":1,"expires":2})";
      const bool told_it =
          store->reserve(Call(call_.get()), request) && ::write(ends[1], "x", 1) > 0;
      if (!told_it) ::_exit(1);
    }
  }
  ::close(ends[1]);
  char byte = 0;
  int told_of = 0;
  while (told_of < 40 && ::read(ends[0], &byte, 1) == 1) ++told_of;
  ::kill(host, SIGKILL);
  ::waitpid(host, nullptr, 0);
  while (::read(ends[0], &byte, 1) == 1) ++told_of;
  ::close(ends[0]);

  const auto store = make_store();
  const auto over = store_sql::Json::parse(answer_text(store->reserve(
      Call(call_.get()), R"({"id":"more","token":"t","project":"docs","day":1,"usd":"1",
                             "tokenLimit":"0.5","at":1,"expires":2})")));
  const auto there = store_sql::Json::parse(
      answer_text(store->forget(Call(call_.get()), R"({"before":864000000})")));
  const int kept = there["forgotten"];
  EXPECT_GE(kept, told_of);
  EXPECT_LE(kept, told_of + 1) << "the one that nobody was told of";
  EXPECT_EQ(over["spent"], store_sql::decimal_of(kept));
}

TEST_F(Trouble, HasNobodyButItsOwnerReadTheFile) {
  ASSERT_EQ(open_store(), R"({"schema":3})");
  const auto store = make_store();
  ASSERT_TRUE(store->create_project(Call(call_.get()), project("docs")));
  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat facts {};
    ASSERT_EQ(::stat((file().string() + suffix).c_str(), &facts), 0) << suffix;
    EXPECT_EQ(facts.st_mode & 0777U, 0600U) << suffix;
  }
}

TEST_F(Trouble, RefusesAFileThatOthersMayWrite) {
  ASSERT_EQ(open_store(), R"({"schema":3})");
  ASSERT_EQ(::chmod(file().c_str(), 0644), 0);
  EXPECT_EQ(open_store(), R"({"schema":3})") << "reading by others is ended";
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  ASSERT_EQ(::chmod(file().c_str(), 0622), 0);
  EXPECT_THAT(open_store(),
              AllOf(StartsWith(status(QUARRY_PERMISSION_DENIED)), HasSubstr("others may write")));
}

}  // namespace
}  // namespace quarry::store_sqlite
