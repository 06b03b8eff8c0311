#include "history/testing/history_fixture.h"

#include <sys/stat.h>

namespace quarry::history {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DatabaseTest : public InDirectory {
 protected:
  Database opened() {
    auto database = Database::open(file());
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }
  static std::vector<std::string> texts(Database& database, std::string_view sql) {
    std::vector<std::string> out;
    EXPECT_TRUE(database.each(sql, {}, [&](const Row& row) { out.push_back(row.text(0)); }));
    return out;
  }
};

TEST_F(DatabaseTest, GivesBackWhatWasBound) {
  Database database = opened();
  ASSERT_TRUE(database.run("CREATE TABLE t (a, b, c, d)"));
  const std::string odd("it's \0 odd", 10);
  ASSERT_TRUE(database.run("INSERT INTO t VALUES (?, ?, ?, ?)",
                           {odd, std::int64_t{9'000'000'000'000'000'000}, nullptr, ""}));
  ASSERT_TRUE(
      database.each("SELECT a, b, c, d, c IS NULL, d IS NULL FROM t", {}, [&](const Row& row) {
        EXPECT_EQ(row.text(0), odd);
        EXPECT_EQ(row.integer(1), 9'000'000'000'000'000'000);
        EXPECT_EQ(row.text(2), "");
        EXPECT_EQ(row.integer(4), 1);
        EXPECT_EQ(row.integer(5), 0);
      }));
}

TEST_F(DatabaseTest, UndoesATransactionThatFails) {
  Database database = opened();
  ASSERT_TRUE(database.run("CREATE TABLE t (a)"));
  const Status done = database.transaction([&]() -> Status {
    EXPECT_TRUE(database.run("INSERT INTO t VALUES ('half')"));
    return Error{Code::kInternal, "no"};
  });
  EXPECT_EQ(done.error().message, "no");
  EXPECT_TRUE(database.transaction([&] { return database.run("INSERT INTO t VALUES ('whole')"); }));
  EXPECT_THAT(texts(database, "SELECT a FROM t"), ElementsAre("whole"));
}

TEST_F(DatabaseTest, IsReadableByItsOwnerAlone) {
  Database database = opened();
  ASSERT_TRUE(database.run("PRAGMA journal_mode = WAL"));
  ASSERT_TRUE(database.run("CREATE TABLE t (a)"));
  for (const char* name : {"history.db", "history.db-wal", "history.db-shm"}) {
    struct stat status {};
    ASSERT_EQ(::stat((root_ / name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777, 0600u) << name;
  }
}

TEST_F(DatabaseTest, IsNotOpenedWhenOthersMayWriteToIt) {
  { Database database = opened(); }
  ASSERT_EQ(::chmod((root_ / "history.db").c_str(), 0666), 0);
  const auto refused = Database::open(root_ / "history.db");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("others may write to it"));
}

TEST_F(DatabaseTest, SaysWhichFileCannotBeUsedAndWhatToDo) {
  const auto nowhere = Database::open(root_ / "none/history.db");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("none/history.db"));
  std::filesystem::create_directory(file());
  const auto directory = Database::open(file());
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, HasSubstr(file().string() + " is not used"));
  EXPECT_THAT(directory.error().hint, HasSubstr("regular file"));
}

TEST_F(DatabaseTest, CallsAFileOfOtherBytesDamaged) {
  ASSERT_TRUE(write_file_atomically(file(), std::string(8192, 'x')));
  Database database = opened();
  const Status read = database.run("PRAGMA user_version");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr(file().string() + " is damaged"));
  EXPECT_THAT(read.error().hint, HasSubstr("mv "));
}

TEST_F(DatabaseTest, AFullFileSystemIsAnErrorAndTheOldStateStays) {
  Database database = opened();
  ASSERT_TRUE(database.run("CREATE TABLE t (a)"));
  ASSERT_TRUE(database.run("INSERT INTO t VALUES ('old')"));
  ASSERT_TRUE(database.run("PRAGMA max_page_count = 2"));
  const std::string large(100'000, 'x');
  const Status full =
      database.transaction([&] { return database.run("INSERT INTO t VALUES (?)", {large}); });
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::kResourceExhausted);
  EXPECT_THAT(full.error().hint, HasSubstr("Free space"));
  EXPECT_THAT(texts(database, "SELECT a FROM t"), ElementsAre("old"));
}

}  // namespace
}  // namespace quarry::history
