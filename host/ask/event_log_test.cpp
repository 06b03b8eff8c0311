#include "ask/event_log.h"

#include "ask/testing/test_services.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

struct Seen {
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> types;
  std::vector<std::string> json;
  EventLog::Visit visit() {
    return [this](std::uint64_t number, std::string_view type, std::string_view text) {
      numbers.push_back(number);
      types.emplace_back(type);
      json.emplace_back(text);
    };
  }
};

constexpr std::size_t kEverything = 1u << 30;

TEST(EventLog, NumbersFromOneAndWritesDeltasAsJson) {
  const auto log = testing::make_log(1000);
  EXPECT_TRUE(log->append(EventType::kMeta, R"({"type":"meta"})"));
  EXPECT_TRUE(log->append_delta(EventType::kTextDelta, "a \"b\"\n"));
  log->finish(EventType::kDone, R"({"type":"done"})");
  Seen seen;
  const auto cursor = log->open(0, [] {});
  EXPECT_EQ(cursor->read(kEverything, seen.visit()), QUARRY_READ_END);
  EXPECT_EQ(seen.numbers, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(seen.types, (std::vector<std::string>{"meta", "text.delta", "done"}));
  EXPECT_EQ(seen.json[1], R"({"type":"text.delta","delta":"a \"b\"\n"})");
}

TEST(EventLog, ReplaysFromAnyNumberAcrossChunks) {
  const auto log = testing::make_log(1u << 20);
  for (int i = 1; i <= 5000; ++i) log->append_delta(EventType::kTextDelta, std::to_string(i));
  log->finish(EventType::kDone, "{}");
  for (const std::uint64_t after : {0u, 1u, 63u, 64u, 65u, 2500u, 4999u, 5000u, 5001u, 9000u}) {
    Seen seen;
    const auto cursor = log->open(after, [] {});
    EXPECT_EQ(cursor->read(kEverything, seen.visit()), QUARRY_READ_END);
    const std::size_t left = after >= 5001 ? 0 : 5001 - after;
    ASSERT_EQ(seen.numbers.size(), left) << after;
    if (left > 0) {
      EXPECT_EQ(seen.numbers.front(), after + 1);
    }
    if (left > 1) {
      EXPECT_EQ(seen.json.front(),
                R"({"type":"text.delta","delta":")" + std::to_string(after + 1) + "\"}");
    }
  }
}

TEST(EventLog, StopsAtMaxBytesButVisitsAtLeastOne) {
  const auto log = testing::make_log(1000);
  for (int i = 0; i < 3; ++i) log->append(EventType::kToolUpdated, R"({"n":12345678})");
  Seen seen;
  const auto cursor = log->open(0, [] {});
  EXPECT_EQ(cursor->read(1, seen.visit()), QUARRY_READ_MORE);
  EXPECT_EQ(seen.numbers.size(), 1u);
  EXPECT_EQ(cursor->read(17, seen.visit()), QUARRY_READ_EMPTY);
  EXPECT_EQ(seen.numbers.size(), 3u);
}

TEST(EventLog, WakesAnEmptyReaderOnceAndOthersNever) {
  const auto log = testing::make_log(1000);
  int first = 0;
  int second = 0;
  const auto waiting = log->open(0, [&] { ++first; });
  const auto idle = log->open(0, [&] { ++second; });
  Seen seen;
  EXPECT_EQ(waiting->read(kEverything, seen.visit()), QUARRY_READ_EMPTY);
  EXPECT_EQ(waiting->read(kEverything, seen.visit()), QUARRY_READ_EMPTY);
  log->append_delta(EventType::kTextDelta, "a");
  log->append_delta(EventType::kTextDelta, "b");
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  EXPECT_EQ(waiting->read(kEverything, seen.visit()), QUARRY_READ_EMPTY);
  EXPECT_EQ(seen.numbers.size(), 2u);
  log->finish(EventType::kDone, "{}");
  EXPECT_EQ(first, 2);
  EXPECT_EQ(waiting->read(kEverything, seen.visit()), QUARRY_READ_END);
  EXPECT_EQ(waiting->read(kEverything, seen.visit()), QUARRY_READ_END);
}

TEST(EventLog, DoesNotWakeAReaderThatClosed) {
  const auto log = testing::make_log(1000);
  int woken = 0;
  auto cursor = log->open(0, [&] { ++woken; });
  Seen seen;
  EXPECT_EQ(cursor->read(kEverything, seen.visit()), QUARRY_READ_EMPTY);
  cursor.reset();
  log->append_delta(EventType::kTextDelta, "a");
  EXPECT_EQ(woken, 0);
}

TEST(EventLog, RefusesWhatWouldPassTheLimitButTakesTheLastEvent) {
  const auto log = testing::make_log(10);
  EXPECT_TRUE(log->append_delta(EventType::kTextDelta, "0123456789"));
  EXPECT_FALSE(log->overflowed());
  EXPECT_FALSE(log->append_delta(EventType::kTextDelta, "x"));
  EXPECT_TRUE(log->overflowed());
  log->finish(EventType::kError, R"({"type":"error","tag":"AgentError"})");
  log->finish(EventType::kDone, "{}");
  EXPECT_FALSE(log->append_delta(EventType::kTextDelta, ""));
  EXPECT_EQ(log->event_count(), 2u);
}

TEST(EventLog, SaysWhenTheLastReaderOfAnUnfinishedLogLeft) {
  const auto log = testing::make_log(1000);
  int abandoned = 0;
  log->on_abandoned([&] { ++abandoned; });
  auto one = log->open(0, [] {});
  auto two = log->open(0, [] {});
  one.reset();
  EXPECT_EQ(abandoned, 0);
  two.reset();
  EXPECT_EQ(abandoned, 1);
  EXPECT_EQ(log->reader_count(), 0u);
  auto three = log->open(0, [] {});
  log->finish(EventType::kDone, "{}");
  three.reset();
  EXPECT_EQ(abandoned, 1);
}

TEST(EventLog, SaysWhenThereIsAReaderAgain) {
  const auto log = testing::make_log(1000);
  int readers = 0;
  log->on_first_reader([&] { ++readers; });
  auto one = log->open(0, [] {});
  EXPECT_EQ(readers, 1);
  auto two = log->open(0, [] {});
  EXPECT_EQ(readers, 1);
  one.reset();
  two.reset();
  one = log->open(0, [] {});
  EXPECT_EQ(readers, 2);
}

TEST(EventLog, AnObserverIsNoReader) {
  const auto log = testing::make_log(1000);
  int called = 0;
  log->on_first_reader([&] { ++called; });
  log->on_abandoned([&] { ++called; });
  log->append(EventType::kMeta, "{}");
  auto observer = log->observe(0, [] {});
  EXPECT_EQ(log->reader_count(), 0u);
  std::string seen;
  EXPECT_EQ(observer->read(
                1000, [&](std::uint64_t, std::string_view type, std::string_view) { seen = type; }),
            QUARRY_READ_EMPTY);
  EXPECT_EQ(seen, "meta");
  observer.reset();
  EXPECT_EQ(called, 0);
}

TEST(EventTypes, AreFoundByTheirNames) {
  EXPECT_EQ(kEvents.size(), static_cast<std::size_t>(EventType::kCitation) + 1);
  for (std::size_t i = 0; i < kEvents.size(); ++i) {
    EXPECT_EQ(event_named(kEvents[i].name), static_cast<EventType>(i));
  }
  EXPECT_EQ(name_of(EventType::kError), "error");
  EXPECT_EQ(name_of(EventType::kCitation), "citation");
  EXPECT_EQ(event_named(""), std::nullopt);
  EXPECT_EQ(event_named("weather"), std::nullopt);
}

TEST(EventLog, HoldsTwentyThousandTokensInLessThanTwiceTheirBytes) {
  const auto log = testing::make_log(1u << 20);
  for (int i = 0; i < 20'000; ++i) log->append_delta(EventType::kTextDelta, "word");
  EXPECT_LT(log->memory_bytes(), 2u * 80'000);
}

TEST(EventLog, ShowsEveryReaderEveryEventInOrderWhileItGrows) {
  constexpr int kEvents = 2000;
  const auto log = testing::make_log(1u << 20);
  const auto follow = [&log] {
    std::atomic<bool> woken = false;
    const auto cursor = log->open(0, [&] {
      woken = true;
      woken.notify_one();
    });
    std::uint64_t expected = 1;
    std::string text;
    const auto visit = [&](std::uint64_t number, std::string_view, std::string_view json) {
      EXPECT_EQ(number, expected++);
      text += json;
    };
    while (true) {
      const quarry_read state = cursor->read(100, visit);
      if (state == QUARRY_READ_END) break;
      if (state == QUARRY_READ_MORE) continue;
      woken.wait(false);
      woken = false;
    }
    EXPECT_EQ(expected, kEvents + 2u);
    return text;
  };
  std::string texts[3];
  std::vector<std::thread> readers;
  for (auto& text : texts) readers.emplace_back([&] { text = follow(); });
  for (int i = 0; i < kEvents; ++i) log->append_delta(EventType::kTextDelta, std::to_string(i));
  log->finish(EventType::kDone, "{}");
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[1], texts[2]);
}

TEST(EventLog, GivesTheDeltasOfAKindAsOneText) {
  const auto log = testing::make_log(1u << 20);
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    const std::string delta = "word " + std::to_string(i) + " ";
    log->append_delta(EventType::kTextDelta, delta);
    log->append_delta(EventType::kReasoningDelta, "hm");
    text += delta;
  }
  EXPECT_EQ(log->text_of(EventType::kTextDelta), text);
  EXPECT_EQ(log->text_of(EventType::kReasoningDelta).size(), 2000u);
  EXPECT_EQ(log->text_of(EventType::kTextDelta, 1996), "word 998 word 999 ");
  EXPECT_EQ(log->text_of(EventType::kTextDelta, 2000), "");
  log->finish(EventType::kDone, R"({"type":"done"})");
  EXPECT_EQ(log->text_of(EventType::kTextDelta), text);
}

TEST(EventLog, KeepsTheLastEventWithoutCopyingIt) {
  const auto log = testing::make_log(100);
  const std::string event_of_the_end =
      R"({"type":"done","text":")" + std::string(100'000, 'x') + "\"}";
  std::string json(event_of_the_end);
  const char* const where = json.data();
  const auto before = log->memory_bytes();
  log->finish(EventType::kDone, std::move(json));
  EXPECT_LT(log->memory_bytes() - before, 110'000u);
  const auto cursor = log->open(0, [] {});
  const char* visited = nullptr;
  cursor->read(1000, [&](std::uint64_t number, std::string_view type, std::string_view event) {
    EXPECT_EQ(number, 1u);
    EXPECT_EQ(type, "done");
    visited = event.data();
  });
  EXPECT_EQ(visited, where);
  EXPECT_EQ(cursor->read(1000, [](auto, auto, auto) {}), QUARRY_READ_END);
}

}  // namespace
}  // namespace quarry::ask
