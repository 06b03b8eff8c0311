#include "access/audit_trail.h"

#include "base/decimal.h"
#include "base/file.h"
#include "base/json.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <quarry_test.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>

namespace quarry::access {
namespace {

using ::testing::HasSubstr;

plugins::AuditEntry entry(std::string request) {
  plugins::AuditEntry out;
  out.at = Clock::Wall(std::chrono::seconds(1'800'000'000));
  out.request = std::move(request);
  return out;
}

class AuditFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> lines() const {
    std::ifstream in(file_);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
  const std::filesystem::path file_ = test_directory() / "audit.jsonl";
  std::vector<std::string> stored_;
  Status store_ = {};
  AuditTrail trail_{file_, [this](const auto& entries) {
                      if (!store_) return store_;
                      for (const auto& each : entries) stored_.push_back(each.request);
                      return Status();
                    }};
};

/// Some readers end a line at NEL or U+2028, and terminals execute C1 controls.
TEST(AuditLine, IsOneLineForEveryReader) {
  plugins::AuditEntry entry;
  entry.question = "a\nb\u0085c\u2028d\u009b2Je\u202ef";
  const std::string line = audit_line(entry);
  for (const char* raw : {"\n", "\u0085", "\u2028", "\u009b", "\u202e"}) {
    EXPECT_THAT(line, ::testing::Not(HasSubstr(raw)));
  }
  EXPECT_EQ((*parse_json(line))["question"], entry.question);
}

TEST(AuditLine, SaysWhatIsKnownAndNothingElse) {
  plugins::AuditEntry full = entry("r1");
  full.token = "tok_1";
  full.project = "docs";
  full.method = "tools/call";
  full.tool = "ask";
  full.status = 200;
  full.duration = std::chrono::milliseconds(12);
  full.input_tokens = 10;
  full.cost = parse_money("0.25").value();
  const Json line = *parse_json(audit_line(full));
  EXPECT_EQ(line["at"], "2027-01-15T08:00:00Z");
  EXPECT_EQ(line["token"], "tok_1");
  EXPECT_EQ(line["ms"], 12);
  EXPECT_EQ(line["usd"], "0.25");
  EXPECT_FALSE(line.contains("outputTokens"));
  EXPECT_FALSE(line.contains("question"));
  EXPECT_FALSE(line.contains("peer"));
  EXPECT_FALSE(line.contains("count"));
}

TEST(AuditLine, SaysWhoWasRefusedAndHowOften) {
  plugins::AuditEntry refused = entry("r1");
  refused.peer = "192.0.2.7";
  refused.count = 499;
  refused.status = 401;
  const Json line = *parse_json(audit_line(refused));
  EXPECT_EQ(line["peer"], "192.0.2.7");
  EXPECT_EQ(line["count"], 499);
  EXPECT_EQ(line["token"], "");
}

TEST_F(AuditFile, EachCallIsOneLineInTheFileAndOneEntryInTheStore) {
  trail_.add(entry("a"));
  trail_.add(entry("b\n"));
  ASSERT_TRUE(trail_.flush());
  EXPECT_THAT(lines(), ::testing::ElementsAre(HasSubstr("\"a\""), HasSubstr("\"b\\n\"")));
  EXPECT_THAT(stored_, ::testing::ElementsAre("a", "b\n"));
  ASSERT_TRUE(trail_.flush());
  EXPECT_EQ(lines().size(), 2u);
}

TEST_F(AuditFile, AFileThatWasMovedAwayIsBegunAnew) {
  trail_.add(entry("a"));
  ASSERT_TRUE(trail_.flush());
  std::filesystem::rename(file_, file_.parent_path() / "old");
  trail_.add(entry("b"));
  ASSERT_TRUE(trail_.flush());
  EXPECT_THAT(lines(), ::testing::ElementsAre(HasSubstr("\"b\"")));
}

TEST_F(AuditFile, APipeIsRefusedWithoutWaitingForItsReader) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  trail_.add(entry("a"));
  EXPECT_FALSE(trail_.flush());
  const int reader = ::open(file_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  const Status refused = trail_.flush();
  ::close(reader);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is not a regular file"));
  EXPECT_THAT(refused.error().hint, HasSubstr("audit_file"));
}

TEST_F(AuditFile, WhatTheStoreCannotTakeWaitsAndTheFileHasItOnce) {
  store_ = Error{Code::kUnavailable, "away"};
  trail_.add(entry("a"));
  EXPECT_FALSE(trail_.flush());
  EXPECT_FALSE(trail_.flush());
  store_ = {};
  EXPECT_TRUE(trail_.flush());
  EXPECT_THAT(stored_, ::testing::ElementsAre("a"));
  EXPECT_EQ(lines().size(), 1u);
}

/// While it lives, no file of this process grows beyond a size.
class FullDisk {
 public:
  explicit FullDisk(::rlim_t size) : before_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const ::rlimit full{size, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    ::signal(SIGXFSZ, before_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  ::rlimit limit_{};
  void (*before_)(int);
};

// A part of the batch stayed in the file, and the whole batch followed in the middle of its line.
TEST_F(AuditFile, WhatAFullDiskTookInPartIsWrittenOnceInWholeLines) {
  trail_.add(entry("a"));
  ASSERT_TRUE(trail_.flush());
  const auto size = std::filesystem::file_size(file_);
  trail_.add(entry("b"));
  trail_.add(entry("c"));
  {
    const FullDisk full(size + size / 2);
    EXPECT_FALSE(trail_.flush());
  }
  EXPECT_EQ(std::filesystem::file_size(file_), size);
  ASSERT_TRUE(trail_.flush());
  EXPECT_THAT(lines(),
              ::testing::ElementsAre(HasSubstr("\"a\""), HasSubstr("\"b\""), HasSubstr("\"c\"")));
  EXPECT_THAT(stored_, ::testing::ElementsAre("a", "b", "c"));
}

TEST_F(AuditFile, AFileThatCannotBeWrittenIsToldAndTheStoreHasItAllTheSame) {
  std::filesystem::create_directory(file_);
  trail_.add(entry("a"));
  const Status flushed = trail_.flush();
  ASSERT_FALSE(flushed);
  EXPECT_THAT(flushed.error().message, HasSubstr(file_.string()));
  EXPECT_THAT(stored_, ::testing::ElementsAre("a"));
}

// Up to 100,000 questions of 100,000 characters were kept.
TEST(AuditTrail, TheOldestAreGivenUpWhenLongOnesWait) {
  Status store = Error{Code::kUnavailable, "away"};
  std::vector<std::string> stored;
  AuditTrail trail({}, [&](const auto& entries) {
    if (!store) return store;
    for (const auto& each : entries) stored.push_back(each.request);
    return Status();
  });
  plugins::AuditEntry longest;
  longest.question.assign(AuditTrail::kMostBytes / 4, 'x');
  for (const char* request : {"a", "b", "c", "d", "e"}) {
    longest.request = request;
    trail.add(longest);
  }
  trail.add(entry("f"));
  EXPECT_FALSE(trail.flush());
  EXPECT_EQ(trail.take_lost(), 2u);
  store = {};
  ASSERT_TRUE(trail.flush());
  EXPECT_THAT(stored, ::testing::ElementsAre("c", "d", "e", "f"));
}

TEST_F(AuditFile, OnlyTheOldestAreGivenUpWhenTooManyWait) {
  store_ = Error{Code::kUnavailable, "away"};
  for (std::size_t i = 0; i < AuditTrail::kMost + 3; ++i) trail_.add(entry(std::to_string(i)));
  EXPECT_GE(trail_.take_lost(), 3u);
  EXPECT_EQ(trail_.take_lost(), 0u);
  store_ = {};
  ASSERT_TRUE(trail_.flush());
  EXPECT_EQ(stored_.front(), "3");
  EXPECT_EQ(stored_.size(), AuditTrail::kMost);
}

}  // namespace
}  // namespace quarry::access
