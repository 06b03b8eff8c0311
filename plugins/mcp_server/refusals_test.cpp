#include "mcp_server/refusals.h"

#include "testing/fakes.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::mcp::testing {
namespace {

using std::chrono::seconds;

class RefusalsTest : public ::testing::Test {
 protected:
  void refuse(const std::string& peer, int status = 401, const std::string& principal = {}) {
    Record record;
    record.request = "r" + std::to_string(++requests_);
    record.peer = peer;
    record.principal = principal;
    record.status = status;
    refusals_.add(std::move(record), now_);
  }
  /// Requests in all audit records.
  [[nodiscard]] std::size_t recorded() const {
    std::size_t sum = 0;
    for (const Record& record : access_.records()) sum += record.count;
    return sum;
  }

  FakeAccess access_;
  Refusals refusals_{access_};
  Refusals::Time now_{};
  int requests_ = 0;
};

TEST_F(RefusalsTest, TheFirstOfASenderIsToldAtOnceAndTheRestOfItsMinuteTogether) {
  for (int i = 0; i < 1000; ++i) refuse("192.0.2.1");
  ASSERT_EQ(access_.records().size(), 1U);
  EXPECT_EQ(access_.records()[0].request, "r1");
  EXPECT_TRUE(refusals_.flush(now_ + seconds(59), false));
  EXPECT_EQ(access_.records().size(), 1U);
  EXPECT_FALSE(refusals_.flush(now_ + seconds(60), false));
  ASSERT_EQ(access_.records().size(), 2U);
  EXPECT_EQ(access_.records()[1].count, 999U);
  EXPECT_EQ(access_.records()[1].request, "r1000");
  EXPECT_EQ(access_.records()[1].peer, "192.0.2.1");
  refuse("192.0.2.1");
  EXPECT_EQ(access_.records().size(), 3U) << "a new minute";
}

TEST_F(RefusalsTest, SendersAndStatusesAreToldApart) {
  refuse("192.0.2.1", 401);
  refuse("192.0.2.1", 403);
  refuse("192.0.2.2", 401);
  refuse("192.0.2.2", 429, "tok_1");
  refuse("192.0.2.3", 429, "tok_1");
  EXPECT_EQ(access_.records().size(), 4U);
  refusals_.flush(now_, true);
  EXPECT_EQ(access_.records().size(), 5U);
  EXPECT_EQ(recorded(), 5U);
}

TEST_F(RefusalsTest, AFloodFromManyAddressesIsFewRecordsAndNoneIsForgotten) {
  for (int i = 0; i < 100'000; ++i) refuse("2001:db8::" + std::to_string(i));
  EXPECT_LE(access_.records().size(), 65U);
  refusals_.flush(now_, true);
  EXPECT_LE(access_.records().size(), 130U);
  EXPECT_EQ(recorded(), 100'000U);
  EXPECT_EQ(access_.records()[1].peer, "2001:db8::1") << "who came early keeps a name";
}

TEST_F(RefusalsTest, ALoneRefusalIsOneRecord) {
  refuse("192.0.2.1");
  refusals_.flush(now_, true);
  EXPECT_EQ(access_.records().size(), 1U);
  EXPECT_FALSE(refusals_.flush(now_, true));
}

}  // namespace
}  // namespace quarry::mcp::testing
