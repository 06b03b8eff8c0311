#include "history/testing/history_fixture.h"

namespace quarry::history {
namespace {

using ::testing::HasSubstr;

class SchemaTest : public InDirectory {};

TEST_F(SchemaTest, ANewFileHasTheVersionOfThisProgram) {
  auto database = open_history(file());
  ASSERT_TRUE(database) << database.error().message;
  ASSERT_TRUE(database->each("PRAGMA user_version", {},
                             [](const Row& row) { EXPECT_EQ(row.integer(0), kSchemaVersion); }));
}

TEST_F(SchemaTest, WhatWasWrittenIsThereAfterTheNextOpening) {
  {
    auto first = open_history(file());
    ASSERT_TRUE(Ledger(*first).add(question("q", at(100), {call("m", 1, 1, 42)})));
  }
  auto second = open_history(file());
  EXPECT_EQ(Ledger(*second).spent(at(0))->nanos, 42);
}

TEST_F(SchemaTest, AFileOfTheFirstVersionKeepsItsTurns) {
  make_old_file(file(), 1);
  auto database = open_history(file());
  ASSERT_TRUE(database) << database.error().message;
  const auto thread = **Threads(*database).find("t");
  EXPECT_EQ(thread.turns.at(0).answer, "so");
  EXPECT_TRUE(thread.turns.at(0).resources.empty());
}

TEST_F(SchemaTest, TurnsOfTheSecondVersionHaveTheirOrderReasonAndCostButNoSources) {
  make_old_file(file(), 2);
  auto database = open_history(file());
  ASSERT_TRUE(database) << database.error().message;
  const auto thread = **Threads(*database).find("t");
  EXPECT_EQ(thread.summary.turns, 3);
  EXPECT_FALSE(thread.summary.origin.single);
  ASSERT_EQ(thread.turns.size(), 3u);
  EXPECT_EQ(thread.turns[0].question, "how?");
  EXPECT_EQ(thread.turns[0].status, kAnswered);
  EXPECT_EQ(thread.turns[0].finish_reason, "stop");
  EXPECT_EQ(thread.turns[0].cost->nanos, 42);
  EXPECT_EQ(thread.turns[0].asked, at(100));
  EXPECT_EQ(thread.turns[1].status, kCut);
  EXPECT_EQ(thread.turns[1].finish_reason, "length");
  EXPECT_EQ(thread.turns[2].finish_reason, "") << "the record of its cost was removed";
  EXPECT_FALSE(thread.turns[2].cost);
  for (const Turn& turn : thread.turns) EXPECT_FALSE(turn.citations);
  EXPECT_EQ(Threads(*database).search("then")->at(0).matches.at(0).turn, 3);
}

TEST_F(SchemaTest, RefusesANewerFileNamingBothVersionsAndLeavesItAsItIs) {
  ASSERT_TRUE(Database::open(file())->run("PRAGMA user_version = 99"));
  const std::string before = bytes();
  const auto refused = open_history(file());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            file().string() + " is of version 99, and this program knows versions up to " +
                std::to_string(kSchemaVersion));
  EXPECT_THAT(refused.error().hint, HasSubstr("newer Quarry"));
  EXPECT_EQ(bytes(), before);
}

TEST_F(SchemaTest, AnOpeningThatFailsHalfWayLeavesNothingBehind) {
  ASSERT_TRUE(Database::open(file())->run("CREATE TABLE turn (other)"));
  ASSERT_FALSE(open_history(file()));
  auto database = Database::open(file());
  std::int64_t tables = 0;
  ASSERT_TRUE(database->each("SELECT COUNT(*) FROM sqlite_master", {},
                             [&](const Row& row) { tables = row.integer(0); }));
  EXPECT_EQ(tables, 1);
}

}  // namespace
}  // namespace quarry::history
