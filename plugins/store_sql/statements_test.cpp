#include "store_sql/statements.h"

#include "store_sql/testing/fake_database.h"

#include <gmock/gmock.h>

namespace quarry::store_sql {
namespace {

TEST(Places, AreNumberedThroughAllRows) {
  EXPECT_EQ(places(1, 1), "($1)");
  EXPECT_EQ(places(2, 3), "($1, $2, $3), ($4, $5, $6)");
}

TEST(Statements, AreNotRunAfterOneThatFailed) {
  FakeDatabase database;
  FakeConnection connection(database, {"second"});
  Statements sql(connection);
  EXPECT_EQ(sql.run("first"), 1);
  EXPECT_EQ(sql.run("second"), 0);
  EXPECT_EQ(sql.run("third"), 0);
  EXPECT_TRUE(sql.failed());
  EXPECT_EQ(sql.result({}).failure().message, "scripted");
  EXPECT_THAT(database.steps(), ::testing::ElementsAre("first", "second"));
}

}  // namespace
}  // namespace quarry::store_sql
