#include "services/log.h"

#include "base/json.h"

#include <quarry_test.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::services {
namespace {

using ::testing::HasSubstr;

struct Lines {
  std::vector<std::string> kept;
  Log::Options options(Level level, bool json) {
    return {level, json, [this](std::string_view line) { kept.emplace_back(line); }};
  }
};

TEST(Log, WritesLevelComponentAndMessage) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kInfo, false), redactor);
  log.warning("org.example.hello", "disk nearly full");
  ASSERT_EQ(lines.kept.size(), 1u);
  EXPECT_THAT(lines.kept[0], HasSubstr("warning org.example.hello: disk nearly full\n"));
}

TEST(Log, DropsWhatIsBelowItsLevel) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kWarning, false), redactor);
  log.debug("host", "x");
  log.info("host", "x");
  log.error("host", "x");
  EXPECT_EQ(lines.kept.size(), 1u);
  EXPECT_FALSE(log.enabled(Level::kInfo));
  EXPECT_TRUE(log.enabled(Level::kError));
}

TEST(Log, NeverShowsASecret) {
  Redactor redactor;
  redactor.add("KEY", test_key());
  Lines lines;
  Log log(lines.options(Level::kInfo, false), redactor);
  log.info("host", "header: Bearer " + test_key());
  EXPECT_THAT(lines.kept[0], HasSubstr("Bearer [secret KEY]"));
}

TEST(Log, KeepsAMessageOnOneLine) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kInfo, false), redactor);
  log.info("host", "a\nerror host: forged\x1b[2J {} %v");
  EXPECT_THAT(lines.kept[0], HasSubstr("a\\nerror host: forged\\u{1b}[2J {} %v\n"));
}

TEST(Log, WritesJsonLinesThatParse) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kDebug, true), redactor);
  log.debug("host", "say \"hi\"\n\xff");
  const auto line = parse_json(lines.kept.at(0));
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ((*line)["level"], "debug");
  EXPECT_EQ((*line)["component"], "host");
  EXPECT_EQ((*line)["message"], "say \"hi\"\n\xef\xbf\xbd");
  EXPECT_THAT((*line)["time"].get<std::string>(), ::testing::EndsWith("Z"));
}

/// Some readers end a line at NEL or U+2028, and terminals interpret C1.
TEST(Log, KeepsControlsAndBidiOutOfBothForms) {
  for (const bool json : {false, true}) {
    Redactor redactor;
    Lines lines;
    Log log(lines.options(Level::kInfo, json), redactor);
    log.info("host", "a\u0085error host: forged\u009b2J\u202e\u2028b");
    for (const char* raw : {"\u0085", "\u009b", "\u202e", "\u2028"}) {
      EXPECT_THAT(lines.kept.at(0), ::testing::Not(HasSubstr(raw)));
    }
    EXPECT_THAT(lines.kept.at(0), HasSubstr(json ? "\\u009b2J" : "\\u{9b}2J"));
  }
}

TEST(Log, TakesLinesFromManyThreads) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kInfo, false), redactor);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) log.info("host", "line");
      });
  }
  EXPECT_EQ(lines.kept.size(), 200u);
}

}  // namespace
}  // namespace quarry::services
