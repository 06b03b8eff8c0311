#include "store_sql/transactions.h"

#include "store_sql/testing/fake_database.h"

#include <quarry/testing.hpp>

#include <gmock/gmock.h>

namespace quarry::store_sql {
namespace {

using State = Connection::State;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Writing : public ::testing::Test {
 protected:
  Outcome<Json> write(const Transactions::Work& work) {
    return transactions_.write(Call(call_.get()), durability_, work);
  }
  Outcome<Json> write() {
    return write([this](Connection& connection) -> Outcome<Result> {
      ++runs_;
      const auto done = connection.run("insert");
      if (!done) return done.failure();
      return Result{runs_};
    });
  }
  int count(const std::string& step) {
    const auto steps = database_.steps();
    return static_cast<int>(std::ranges::count(steps, step));
  }

  FakeDatabase database_;
  Transactions transactions_{database_, 2};
  quarry::testing::FakeCall call_;
  Durability durability_ = Durability::kNow;
  int runs_ = 0;
};

TEST_F(Writing, IsOneTransaction) {
  EXPECT_EQ(*write(), 1);
  EXPECT_THAT(database_.steps(), ElementsAre("connect", "begin", "insert", "commit"));
  EXPECT_EQ(*write(), 2);
  EXPECT_EQ(count("connect"), 1) << "a connection is used again";
}

TEST_F(Writing, MayBeLostForASecondIfItMay) {
  durability_ = Durability::kSoon;
  EXPECT_EQ(*write(), 1);
  EXPECT_THAT(database_.steps(), ElementsAre("connect", "begin soon", "insert", "commit"));
}

TEST_F(Writing, OfWhatShallNotStandIsRolledBack) {
  const auto answer = write([](Connection&) -> Outcome<Result> { return Result{"no", false}; });
  EXPECT_EQ(*answer, "no");
  EXPECT_THAT(database_.steps(), ElementsAre("connect", "begin", "rollback"));
}

TEST_F(Writing, ThatFailedIsRolledBackAndNotRepeated) {
  database_.faults = {{"insert", State::kUsable}};
  EXPECT_EQ(write().failure().message, "scripted");
  EXPECT_THAT(database_.steps(), ElementsAre("connect", "begin", "insert", "rollback"));
}

TEST_F(Writing, ThatLostAgainstAnotherIsTriedAgain) {
  for (const char* step : {"begin", "insert", "commit"}) {
    FakeDatabase database;
    database.faults = {{step, State::kConflict, 2}};
    Transactions transactions(database, 1);
    const auto answer =
        transactions.write(Call(call_.get()), Durability::kNow, [](Connection& connection) {
          const auto done = connection.run("insert");
          return done ? Outcome<Result>(Result{"done"}) : Outcome<Result>(done.failure());
        });
    ASSERT_TRUE(answer) << step;
    EXPECT_EQ(*answer, "done");
    EXPECT_THAT(database.steps(), Contains("connect").Times(1));
    EXPECT_EQ(database.steps().back(), "commit");
  }
}

TEST_F(Writing, ThatLosesForEverFails) {
  database_.faults = {{"insert", State::kConflict, 1000}};
  EXPECT_EQ(write().failure().message, "scripted");
  EXPECT_EQ(runs_, 20);
}

TEST_F(Writing, OverABrokenConnectionIsDoneOverAnother) {
  database_.faults = {{"insert", State::kLost}};
  EXPECT_EQ(*write(), 2);
  EXPECT_EQ(count("connect"), 2);
  EXPECT_EQ(count("commit"), 1);
}

TEST_F(Writing, WhereEveryConnectionBreaksFails) {
  database_.faults = {{"begin", State::kLost}, {"begin", State::kLost}, {"begin", State::kLost}};
  EXPECT_EQ(write().failure().message, "scripted");
  EXPECT_EQ(count("connect"), 3);
}

TEST_F(Writing, LooksWhetherACommitThatWasNotHeardOfWasMade) {
  database_.faults = {{"commit", State::kUnknown}};
  database_.was_committed = true;
  EXPECT_EQ(*write(), 1);
  EXPECT_EQ(runs_, 1) << "what was committed is not done again";
  EXPECT_EQ(count("committed T?"), 1);
}

TEST_F(Writing, IsDoneAgainWhenItsCommitWasNotMade) {
  database_.faults = {{"commit", State::kUnknown}};
  database_.was_committed = false;
  EXPECT_EQ(*write(), 2);
  EXPECT_EQ(count("commit"), 2);
}

TEST_F(Writing, ThatMayHaveBeenCommittedSaysSoWhenNobodyCanTell) {
  database_.faults = {{"commit", State::kUnknown}};
  database_.was_committed = Failure{QUARRY_UNAVAILABLE, "away", {}, {}};
  const auto answer = write();
  EXPECT_EQ(answer.failure().status, QUARRY_UNAVAILABLE);
  EXPECT_THAT(answer.failure().message, HasSubstr("not known whether"));
  EXPECT_EQ(runs_, 1);
}

TEST_F(Writing, ThatMayHaveBeenCommittedSaysSoThoughTheCallIsOver) {
  database_.faults = {{"commit", State::kUnknown}};
  call_.cancel_after(1);
  EXPECT_THAT(write().failure().message, HasSubstr("not known whether"));
}

TEST_F(Writing, ForACallThatIsOverIsNotBegun) {
  call_.cancel_after(0);
  EXPECT_EQ(write().failure().status, QUARRY_CANCELLED);
  EXPECT_THAT(database_.steps(), ElementsAre());
}

TEST_F(Writing, IsNotRepeatedOnceTheCallIsOver) {
  database_.faults = {{"insert", State::kConflict, 1000}};
  call_.cancel_after(3);
  static_cast<void>(write());
  EXPECT_LT(runs_, 4);
}

TEST_F(Writing, SaysWhyThereIsNoConnection) {
  database_.refusal = Failure{QUARRY_UNAVAILABLE, "away", "start it", {}};
  EXPECT_EQ(write().failure().hint, "start it");
  EXPECT_EQ(count("connect"), 1);
}

TEST_F(Writing, ReadingNeedsNoTransaction) {
  database_.faults = {{"select", State::kLost}};
  const auto answer = transactions_.read(Call(call_.get()), [](Connection& connection) {
    const auto done = connection.run("select");
    return done ? Outcome<Result>(Result{7}) : Outcome<Result>(done.failure());
  });
  EXPECT_EQ(*answer, 7);
  EXPECT_THAT(database_.steps(), ElementsAre("connect", "select", "connect", "select"));
}

}  // namespace
}  // namespace quarry::store_sql
