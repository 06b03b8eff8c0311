#include "access/session_text.h"

#include <gtest/gtest.h>

namespace quarry::access {
namespace {

const SessionText kSession{"0123456789abcdef0123456789abcdef",
                           Clock::Wall(std::chrono::seconds(1'800'000'000))};

TEST(SessionText, IsKnownAgain) {
  const std::string text = write_session(kSession, "tok_1", "key");
  const auto read = read_session(text, "tok_1", "key");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, kSession.id);
  EXPECT_EQ(read->expires, kSession.expires);
}

TEST(SessionText, IsNobodyElses) {
  const std::string text = write_session(kSession, "tok_1", "key");
  EXPECT_FALSE(read_session(text, "tok_2", "key"));
  EXPECT_FALSE(read_session(text, "tok_1", "another key"));
}

TEST(SessionText, NoPartOfItCanBeAnotherOne) {
  const std::string text = write_session(kSession, "tok_1", "key");
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '1' ? '2' : '1';
    EXPECT_FALSE(read_session(changed, "tok_1", "key")) << changed;
    EXPECT_FALSE(read_session(text.substr(0, i), "tok_1", "key")) << i;
  }
  EXPECT_FALSE(read_session(text + ".x", "tok_1", "key"));
}

}  // namespace
}  // namespace quarry::access
