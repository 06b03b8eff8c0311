#include "services/log.h"

#include "base/json.h"
#include "services/log_scope.h"
#include "services/testing/journal_daemon.h"
#include "services/testing/pipe.h"

#include <algorithm>
#include <cstdlib>
#include <quarry_test.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace quarry::services {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using Subject = std::shared_ptr<const LogSubject>;

struct Lines {
  std::vector<std::string> kept;
  Log::Options options(Level level, LogFormat format) {
    return {level, format, [this](std::string_view line) { kept.emplace_back(line); }};
  }
};

TEST(Log, WritesLevelComponentAndMessage) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kInfo, LogFormat::kText), redactor);
  log.warning("org.example.hello", "disk nearly full");
  ASSERT_EQ(lines.kept.size(), 1u);
  EXPECT_THAT(lines.kept[0], HasSubstr("warning org.example.hello: disk nearly full\n"));
}

TEST(Log, DropsWhatIsBelowItsLevel) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kWarning, LogFormat::kText), redactor);
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
  Log log(lines.options(Level::kInfo, LogFormat::kText), redactor);
  log.info("host", "header: Bearer " + test_key());
  EXPECT_THAT(lines.kept[0], HasSubstr("Bearer [secret KEY]"));
}

TEST(Log, KeepsAMessageOnOneLine) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kInfo, LogFormat::kText), redactor);
  log.info("host", "a\nerror host: forged\x1b[2J {} %v");
  EXPECT_THAT(lines.kept[0], HasSubstr("a\\nerror host: forged\\u{1b}[2J {} %v\n"));
}

TEST(Log, WritesJsonLinesThatParse) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kDebug, LogFormat::kJson), redactor);
  log.debug("host", "say \"hi\"\n\xff");
  const auto line = parse_json(lines.kept.at(0));
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ((*line)["level"], "debug");
  EXPECT_EQ((*line)["component"], "host");
  EXPECT_EQ((*line)["message"], "say \"hi\"\n\xef\xbf\xbd");
  EXPECT_THAT((*line)["time"].get<std::string>(), EndsWith("Z"));
}

/// Some readers end a line at NEL or U+2028, and terminals interpret C1.
TEST(Log, KeepsControlsAndBidiOutOfBothForms) {
  for (const bool json : {false, true}) {
    Redactor redactor;
    Lines lines;
    Log log(lines.options(Level::kInfo, json ? LogFormat::kJson : LogFormat::kText), redactor);
    log.info("host", "a\u0085error host: forged\u009b2J\u202e\u2028b");
    for (const char* raw : {"\u0085", "\u009b", "\u202e", "\u2028"}) {
      EXPECT_THAT(lines.kept.at(0), Not(HasSubstr(raw)));
    }
    EXPECT_THAT(lines.kept.at(0), HasSubstr(json ? "\\u009b2J" : "\\u{9b}2J"));
  }
}

TEST(Log, TakesLinesFromManyThreads) {
  Redactor redactor;
  Lines lines;
  Log log(lines.options(Level::kInfo, LogFormat::kText), redactor);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) log.info("host", "line");
      });
  }
  EXPECT_EQ(lines.kept.size(), 200u);
}

Subject everything() {
  const auto trace = parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  return std::make_shared<const LogSubject>(
      LogSubject{.question = "q1", .request = "r-1", .trace = *trace});
}

TEST(Log, AddsTheIdsOfWhatALineIsAbout) {
  Redactor redactor;
  Lines text, json;
  Log texts(text.options(Level::kInfo, LogFormat::kText), redactor);
  Log jsons(json.options(Level::kInfo, LogFormat::kJson), redactor);
  const auto write = [&](Subject subject) {
    const LogScope scope(std::move(subject));
    texts.info("host", "said");
    jsons.info("host", "said");
    return *parse_json(json.kept.back());
  };
  Json line = write(everything());
  EXPECT_THAT(text.kept.back(),
              EndsWith("info host: said "
                       "[question=q1 request=r-1 trace=4bf92f3577b34da6a3ce929d0e0e4736]\n"));
  EXPECT_EQ(line["message"], "said");
  EXPECT_EQ(line["question"], "q1");
  EXPECT_EQ(line["request"], "r-1");
  EXPECT_EQ(line["trace"], "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(line["span"], "00f067aa0ba902b7");

  line = write(std::make_shared<const LogSubject>(LogSubject{.request = "r-2"}));
  EXPECT_THAT(text.kept.back(), EndsWith("info host: said [request=r-2]\n"));
  EXPECT_EQ(line["request"], "r-2");
  EXPECT_FALSE(line.contains("question") || line.contains("trace") || line.contains("span"));

  for (const auto& nothing : {std::make_shared<const LogSubject>(), Subject()}) {
    line = write(nothing);
    EXPECT_THAT(text.kept.back(), EndsWith("info host: said\n"));
    EXPECT_EQ(line.size(), 4u);
  }
}

TEST(Log, NeverShowsASecretThatAClientSentAsAnId) {
  Redactor redactor;
  redactor.add("KEY", test_key());
  const auto sent = std::make_shared<const LogSubject>(LogSubject{.request = test_key() + "\n"});
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    Lines lines;
    Log log(lines.options(Level::kInfo, format), redactor);
    const LogScope scope(sent);
    log.info("host", "x");
    EXPECT_THAT(lines.kept.at(0), HasSubstr("[secret KEY]\\n"));
    EXPECT_THAT(lines.kept.at(0), Not(HasSubstr(test_key())));
  }
}

struct JournalLog : ::testing::Test {
  Log::Options options(Level level = Level::kDebug) {
    auto out = lines.options(level, LogFormat::kJournal);
    out.journal = address;
    return out;
  }
  const std::string address = (test_directory() / "journal").string();
  Redactor redactor;
  Lines lines;
};

TEST_F(JournalLog, WritesTheFieldsThatAreKnown) {
  JournalDaemon daemon(address);
  Log log(options(), redactor);
  {
    const LogScope scope(everything());
    log.warning("org.example.hello", "disk nearly full");
  }
  EXPECT_THAT(daemon.next(),
              UnorderedElementsAre(Pair("MESSAGE", "disk nearly full"), Pair("PRIORITY", "4"),
                                   Pair("SYSLOG_IDENTIFIER", "quarry"),
                                   Pair("QUARRY_COMPONENT", "org.example.hello"),
                                   Pair("QUARRY_QUESTION", "q1"), Pair("QUARRY_REQUEST", "r-1"),
                                   Pair("TRACE_ID", "4bf92f3577b34da6a3ce929d0e0e4736"),
                                   Pair("SPAN_ID", "00f067aa0ba902b7")));
  log.info("host", "x");
  EXPECT_THAT(daemon.next(), UnorderedElementsAre(Pair("MESSAGE", "x"), Pair("PRIORITY", "6"),
                                                  Pair("SYSLOG_IDENTIFIER", "quarry"),
                                                  Pair("QUARRY_COMPONENT", "host")));
  log.debug("host", "x");
  EXPECT_EQ(daemon.next()["PRIORITY"], "7");
  log.error("host", "x");
  EXPECT_EQ(daemon.next()["PRIORITY"], "3");
  EXPECT_TRUE(lines.kept.empty());
}

TEST_F(JournalLog, DropsWhatIsBelowItsLevel) {
  JournalDaemon daemon(address);
  Log log(options(Level::kWarning), redactor);
  log.info("host", "x");
  EXPECT_TRUE(daemon.next().empty());
}

TEST_F(JournalLog, KeepsLinesApartAndControlsAndSecretsOut) {
  redactor.add("KEY", test_key());
  JournalDaemon daemon(address);
  Log log(options(), redactor);
  log.info("a\nPRIORITY=0", "one\nPRIORITY=0\ntwo\x1b[2J " + test_key() + "\xff");
  auto fields = daemon.next();
  EXPECT_EQ(fields["MESSAGE"], "one\nPRIORITY=0\ntwo\\u{1b}[2J [secret KEY]\ufffd");
  EXPECT_EQ(fields["PRIORITY"], "6");
  EXPECT_EQ(fields["QUARRY_COMPONENT"], "a\\nPRIORITY=0");
}

TEST_F(JournalLog, TakesAMessageThatIsLargerThanADatagram) {
  JournalDaemon daemon(address);
  Log log(options(), redactor);
  log.info("host", std::string(32u << 20, 'x'));
  EXPECT_EQ(daemon.next()["MESSAGE"].size(), 32u << 20);
  EXPECT_EQ(daemon.files(), 1);
}

TEST_F(JournalLog, IsTextWithASeverityWhileNoJournalAnswers) {
  Log log(options(), redactor);
  {
    const LogScope scope(std::make_shared<const LogSubject>(LogSubject{.question = "q1"}));
    log.warning("host", "one\ntwo");
  }
  log.error("host", "x");
  log.info("host", "x");
  log.debug("host", "x");
  EXPECT_THAT(lines.kept, ElementsAre(AllOf(StartsWith("<4>20"),
                                            EndsWith("Z warning host: one\\ntwo [question=q1]\n")),
                                      StartsWith("<3>"), StartsWith("<6>"), StartsWith("<7>")));
  JournalDaemon daemon(address);
  log.info("host", "again");
  EXPECT_EQ(daemon.next()["MESSAGE"], "again");
  EXPECT_EQ(lines.kept.size(), 4u);
}

TEST_F(JournalLog, SaysHowManyLinesAJournalThatDidNotReadHasMissed) {
  JournalDaemon daemon(address);
  Log log(options(), redactor);
  constexpr std::size_t kLines = 20'000;
  for (std::size_t i = 0; i < kLines; ++i) log.info("host", "x");
  std::size_t taken = 0;
  while (!daemon.next().empty()) ++taken;
  ASSERT_LT(taken, kLines);
  log.info("host", "last");
  EXPECT_EQ(daemon.next()["MESSAGE"], "last");
  auto told = daemon.next();
  EXPECT_EQ(told["MESSAGE"],
            std::to_string(kLines - taken) + " lines are missing: nobody read the log in time");
  EXPECT_EQ(told["PRIORITY"], "4");
  log.info("host", "more");
  EXPECT_EQ(daemon.next()["MESSAGE"], "more");
  EXPECT_TRUE(daemon.next().empty());
  EXPECT_TRUE(lines.kept.empty());
}

TEST(Log, SaysHowManyLinesAPipeThatNobodyReadHasMissed) {
  testing::Pipe pipe;
  Redactor redactor;
  Log log({.fd = pipe.writer.get()}, redactor);
  constexpr std::ptrdiff_t kLines = 5'000;
  for (std::ptrdiff_t i = 0; i < kLines; ++i) log.info("host", "x");
  const std::string kept = pipe.taken();
  const auto taken = std::count(kept.begin(), kept.end(), '\n');
  ASSERT_GT(taken, 0);
  ASSERT_LT(taken, kLines);
  log.info("host", "last");
  EXPECT_THAT(pipe.taken(), AllOf(HasSubstr(" info host: last\n"),
                                  HasSubstr(" warning host: " + std::to_string(kLines - taken) +
                                            " lines are missing: nobody read the log in time\n")));
  log.info("host", "more");
  EXPECT_THAT(pipe.taken(), Not(HasSubstr("missing")));
}

TEST(LogFormat, IsThatOfWhoReadsTheLog) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd out(ends[0]), in(ends[1]);
  struct stat found {};
  ASSERT_EQ(::fstat(in.get(), &found), 0);
  const std::string named = std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino);
  EXPECT_EQ(format_for(in.get(), named.c_str(), true), LogFormat::kJournal);
  EXPECT_EQ(format_for(in.get(), named.c_str(), false), LogFormat::kJournal);
  EXPECT_EQ(format_for(in.get(), "1:2", true), LogFormat::kJson);
  EXPECT_EQ(format_for(in.get(), nullptr, true), LogFormat::kJson);
  EXPECT_EQ(format_for(in.get(), nullptr, false), LogFormat::kText);
  const Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY));
  ASSERT_TRUE(::isatty(terminal.get()));
  EXPECT_EQ(format_for(terminal.get(), nullptr, true), LogFormat::kText);
  EXPECT_EQ(format_for(terminal.get(), "1:2", false), LogFormat::kText);
}

}  // namespace
}  // namespace quarry::services
