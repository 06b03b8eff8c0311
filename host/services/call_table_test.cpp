#include "services/call_table.h"

#include <quarry/outcome.hpp>

#include <string>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using std::chrono::milliseconds;

class OpenCall : public ::testing::Test {
 protected:
  /// Closes the call at the end of the test.
  const quarry_call* open(const PartOfCall& part) {
    const quarry_call* const call = open_call(part);
    if (call != nullptr) opened_.push_back(call);
    return call;
  }
  void TearDown() override {
    for (auto call = opened_.rbegin(); call != opened_.rend(); ++call) close_call(*call);
  }

  std::stop_source stop_;
  std::string progress_;
  const Call outer_{.stop = stop_.get_token(),
                    .deadline = std::chrono::steady_clock::now() + std::chrono::hours(1),
                    .progress = [this](std::string_view json) { progress_ = json; }};
  const CallRights rights_{.secrets = {"a"}, .hosts = {"b"}};
  const CallTable lent_{outer_, rights_};

 private:
  std::vector<const quarry_call*> opened_;
};

TEST_F(OpenCall, EndsWithItsParent) {
  const quarry_call* const part = open({.parent = lent_.get()});
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->state(part), QUARRY_OK);
  stop_.request_stop();
  EXPECT_EQ(part->state(part), QUARRY_CANCELLED);
}

TEST_F(OpenCall, EndsAtTheEarlierDeadline) {
  const quarry_call* const brief = open({.parent = lent_.get(), .limit = milliseconds(1'800'000)});
  EXPECT_GT(brief->remaining_ms(brief), 1'200'000);
  EXPECT_LE(brief->remaining_ms(brief), 1'800'000);
  const quarry_call* const patient = open({.parent = lent_.get(), .limit = milliseconds::max()});
  EXPECT_GT(patient->remaining_ms(patient), 1'800'000);
  EXPECT_LE(patient->remaining_ms(patient), 3'600'000);
  const quarry_call* const free = open({});
  EXPECT_EQ(free->remaining_ms(free), INT64_MAX);
  EXPECT_EQ(free->state(free), QUARRY_OK);
  for (const int limit : {0, -1}) {
    const quarry_call* const late = open({.limit = milliseconds(limit)});
    EXPECT_EQ(late->remaining_ms(late), 0);
    EXPECT_EQ(late->state(late), QUARRY_DEADLINE_EXCEEDED);
  }
}

TEST_F(OpenCall, EndsWhenItsOwnStateDoes) {
  quarry_status state = QUARRY_OK;
  const auto read = [](void* context) { return *static_cast<quarry_status*>(context); };
  const quarry_call* const part = open({.parent = lent_.get(), .state = read, .context = &state});
  EXPECT_EQ(part->state(part), QUARRY_OK);
  state = QUARRY_DEADLINE_EXCEEDED;
  EXPECT_EQ(part->state(part), QUARRY_DEADLINE_EXCEEDED);
  EXPECT_EQ(lent_.get()->state(lent_.get()), QUARRY_OK);
}

TEST_F(OpenCall, HasAStateFunctionOfItsOwnOrOfTheCallsAround) {
  const auto has_one = [](const quarry_call* call) {
    return CallTable::find(call)->has_state_function();
  };
  const auto* const without = open({.parent = lent_.get()});
  const auto* const with =
      open({.parent = without, .state = [](void*) { return QUARRY_OK; }, .context = nullptr});
  EXPECT_FALSE(has_one(lent_.get()));
  EXPECT_FALSE(has_one(without));
  EXPECT_TRUE(has_one(with));
  EXPECT_TRUE(has_one(open({.parent = with})));
}

TEST_F(OpenCall, HasTheRightsAndTheProgressOfItsParent) {
  const quarry_call* const part =
      open({.parent = lent_.get(), .rights = {.secrets = {"c"}, .hosts = {}}});
  EXPECT_EQ(CallTable::find(part)->rights().secrets, std::vector<std::string>{"a"});
  EXPECT_EQ(CallTable::find(part)->rights().hosts, std::vector<std::string>{"b"});
  part->progress(part, as_text(R"({"message":"x"})"));
  EXPECT_EQ(progress_, R"({"message":"x"})");
  const quarry_call* const job = open({.rights = {.secrets = {"c"}, .hosts = {}}});
  EXPECT_EQ(CallTable::find(job)->rights().secrets, std::vector<std::string>{"c"});
}

TEST_F(OpenCall, IsRefusedBelowACallThatTheHostDidNotMake) {
  const quarry_call forged{sizeof forged, nullptr, [](const quarry_call*) { return QUARRY_OK; },
                           nullptr, nullptr};
  EXPECT_EQ(open_call({.parent = &forged}), nullptr);
}

TEST_F(OpenCall, ClosesOnlyWhatWasOpened) {
  close_call(nullptr);
  close_call(lent_.get());
  EXPECT_EQ(lent_.get()->state(lent_.get()), QUARRY_OK);
}

TEST(CallTable, PassesOnProgressThatIsAnObject) {
  std::string last;
  const Call call{.progress = [&](std::string_view json) { last = json; }};
  const CallRights none;
  const CallTable table(call, none);
  for (const char* dropped : {"7", "{oops", "[]"}) {
    table.get()->progress(table.get(), as_text(dropped));
  }
  EXPECT_EQ(last, "");
  table.get()->progress(table.get(), as_text("{\"done\":\"" + std::string(4096, 'x') + "\"}"));
  EXPECT_EQ(last, "");
  table.get()->progress(table.get(), as_text(R"({"done":1})"));
  EXPECT_EQ(last, R"({"done":1})");
}

}  // namespace
}  // namespace quarry::services
