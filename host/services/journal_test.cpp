#include "services/journal.h"

#include "services/testing/journal_daemon.h"

#include <quarry_test.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace quarry::services {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

JournalEntry entry_of(std::string_view message) {
  JournalEntry entry;
  entry.add("MESSAGE", message);
  return entry;
}

TEST(JournalEntry, HasALineForEachField) {
  JournalEntry entry = entry_of("a = b");
  entry.add("PRIORITY", "6");
  EXPECT_EQ(entry.bytes(), "MESSAGE=a = b\nPRIORITY=6\n");
}

TEST(JournalEntry, HasTheLengthOfAValueWithNewlines) {
  using std::string_literals::operator""s;
  EXPECT_EQ(entry_of("a\nb").bytes(), "MESSAGE\n\x03\0\0\0\0\0\0\0a\nb\n"s);
  EXPECT_EQ(entry_of(std::string(0x0102, '\n')).bytes().substr(0, 16),
            "MESSAGE\n\x02\x01\0\0\0\0\0\0"s);
}

struct JournalTest : ::testing::Test {
  const std::string address = (test_directory() / "journal").string();
};

TEST_F(JournalTest, TakesEntriesAsDatagrams) {
  JournalDaemon daemon(address);
  Journal journal(address);
  EXPECT_EQ(journal.send(entry_of("one")), Journal::Outcome::kSent);
  EXPECT_EQ(journal.send(entry_of("two")), Journal::Outcome::kSent);
  EXPECT_THAT(daemon.next(), ElementsAre(Pair("MESSAGE", "one")));
  EXPECT_THAT(daemon.next(), ElementsAre(Pair("MESSAGE", "two")));
  EXPECT_EQ(daemon.files(), 0);
}

TEST_F(JournalTest, TakesALargeEntryAsAFileThatNobodyCanChange) {
  JournalDaemon daemon(address);
  Journal journal(address);
  const std::string large(32u << 20, 'x');
  EXPECT_EQ(journal.send(entry_of(large)), Journal::Outcome::kSent);
  EXPECT_EQ(daemon.next().at("MESSAGE").size(), large.size());
  EXPECT_EQ(daemon.files(), 1);
  EXPECT_EQ(daemon.seals_of_last_file(), F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

TEST_F(JournalTest, HasNobodyWithoutADaemon) {
  EXPECT_EQ(Journal(address).send(entry_of("one")), Journal::Outcome::kNobody);
  EXPECT_EQ(Journal("").send(entry_of("one")), Journal::Outcome::kNobody);
  EXPECT_EQ(Journal(std::string(200, 'x')).send(entry_of("one")), Journal::Outcome::kNobody);
}

TEST_F(JournalTest, ReachesADaemonThatWasReplaced) {
  Journal journal(address);
  {
    JournalDaemon first(address);
    EXPECT_EQ(journal.send(entry_of("one")), Journal::Outcome::kSent);
  }
  EXPECT_EQ(journal.send(entry_of("lost")), Journal::Outcome::kNobody);
  JournalDaemon second(address);
  EXPECT_EQ(journal.send(entry_of("two")), Journal::Outcome::kSent);
  EXPECT_THAT(second.next(), ElementsAre(Pair("MESSAGE", "two")));
}

/// How often this thread gave up the processor to wait for something.
long waits_of_this_thread() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_nvcsw;
}

TEST_F(JournalTest, DoesNotWaitForADaemonThatDoesNotRead) {
  JournalDaemon daemon(address);
  Journal journal(address);
  int full = 0;
  const long before = waits_of_this_thread();
  for (int i = 0; i < 20'000; ++i) {
    if (journal.send(entry_of("x")) == Journal::Outcome::kFull) ++full;
  }
  EXPECT_GT(full, 10'000);
  EXPECT_LT(waits_of_this_thread() - before, 1'000);
  while (!daemon.next().empty()) continue;
  EXPECT_EQ(journal.send(entry_of("last")), Journal::Outcome::kSent);
  EXPECT_THAT(daemon.next(), ElementsAre(Pair("MESSAGE", "last")));
}

TEST_F(JournalTest, TakesEntriesFromManyThreads) {
  JournalDaemon daemon(address);
  Journal journal(address);
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 2;  // the queue of a socket takes ten
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < kEach; ++i) {
          EXPECT_EQ(journal.send(entry_of("line")), Journal::Outcome::kSent);
        }
      });
    }
  }
  for (std::size_t i = 0; i < kThreads * kEach; ++i) {
    EXPECT_THAT(daemon.next(), ElementsAre(Pair("MESSAGE", "line")));
  }
  EXPECT_TRUE(daemon.next().empty());
}

TEST(JournalStream, IsTheDescriptorThatTheEnvironmentNames) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd out(ends[0]), in(ends[1]);
  struct stat found {};
  ASSERT_EQ(::fstat(in.get(), &found), 0);
  const std::string device = std::to_string(found.st_dev);
  const std::string named = device + ":" + std::to_string(found.st_ino);
  EXPECT_TRUE(leads_to_journal(in.get(), named.c_str()));
  EXPECT_FALSE(leads_to_journal(in.get(), (device + ":1").c_str()));
  EXPECT_FALSE(leads_to_journal(in.get(), (named + " ").c_str()));
  EXPECT_FALSE(leads_to_journal(in.get(), ""));
  EXPECT_FALSE(leads_to_journal(in.get(), nullptr));
  EXPECT_FALSE(leads_to_journal(-1, named.c_str()));
}

}  // namespace
}  // namespace quarry::services
