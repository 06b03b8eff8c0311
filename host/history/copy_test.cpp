#include "history/copy.h"

#include "history/testing/history_fixture.h"

#include <sys/stat.h>

namespace quarry::history {
namespace {

using ::testing::HasSubstr;

class Copy : public InDirectory {
 protected:
  static void ask(const std::filesystem::path& file, const std::string& id, std::int64_t nanos) {
    auto database = open_history(file);
    ASSERT_TRUE(database) << database.error().message;
    ASSERT_TRUE(Ledger(*database).add(question(id, at(100), {call("m", 1, 1, nanos)})));
  }
  static std::int64_t spent(const std::filesystem::path& file) {
    auto database = open_history(file);
    return Ledger(*database).spent(at(0))->nanos;
  }
  [[nodiscard]] std::filesystem::path copy() const { return root_ / "copy.db"; }
};

TEST_F(Copy, HasWhatWasCommittedAndIsPrivate) {
  ask(file(), "a", 42);
  auto writer = open_history(file());
  ASSERT_TRUE(writer->run("BEGIN IMMEDIATE"));
  ASSERT_TRUE(writer->run("DELETE FROM question"));
  ASSERT_TRUE(copy_history(file(), copy()));
  struct stat status {};
  ASSERT_EQ(::stat(copy().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(spent(copy()), 42);
}

TEST_F(Copy, OfADamagedFileFails) {
  ASSERT_TRUE(write_file_atomically(file(), std::string(8192, 'x')));
  EXPECT_THAT(copy_history(file(), copy()).error().message, HasSubstr("is damaged"));
}

TEST_F(Copy, ReplacesAHistoryInUse) {
  ask(file(), "a", 42);
  ASSERT_TRUE(copy_history(file(), copy()));
  ask(file(), "b", 1);
  auto user = open_history(file());
  EXPECT_EQ(Ledger(*user).spent(at(0))->nanos, 43);
  auto prepared = Replacement::prepare(copy(), file());
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(Ledger(*user).spent(at(0))->nanos, 43) << "nothing is changed yet";
  ASSERT_TRUE(prepared->apply());
  EXPECT_EQ(Ledger(*user).spent(at(0))->nanos, 42);
  ASSERT_TRUE(Ledger(*user).add(question("c", at(100), {call("m", 1, 1, 5)})));
  EXPECT_EQ(spent(file()), 47);
}

TEST_F(Copy, OfAnOlderSchemaIsMigratedAsItReplaces) {
  ask(file(), "a", 42);
  make_old_file(copy(), 1);
  const std::string before = read_file(copy()).value();
  {
    auto prepared = Replacement::prepare(copy(), file());
    ASSERT_TRUE(prepared) << prepared.error().message;
    ASSERT_TRUE(prepared->apply());
  }
  EXPECT_EQ(read_file(copy()).value(), before);
  auto database = open_history(file());
  ASSERT_TRUE(Threads(*database).add("t", {"how?", "so", "q", {}}, at(1)));
  EXPECT_EQ((**Threads(*database).find("t")).turns.size(), 4u);
  EXPECT_EQ(spent(file()), 99);
  for (const auto& entry : std::filesystem::directory_iterator(root_)) {
    EXPECT_EQ(entry.path().string().find("restoring"), std::string::npos) << entry.path();
  }
}

TEST_F(Copy, ThatCannotBeUsedIsRefusedBeforeAnything) {
  ask(file(), "a", 42);
  ASSERT_TRUE(write_file_atomically(copy(), std::string(8192, 'x')));
  EXPECT_THAT(Replacement::prepare(copy(), file()).error().message, HasSubstr(copy().string()));
  EXPECT_FALSE(Replacement::prepare(root_ / "none", file()));
  EXPECT_EQ(spent(file()), 42);
}

}  // namespace
}  // namespace quarry::history
