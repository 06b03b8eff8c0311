#include "cli/progress_board.h"

#include <gmock/gmock.h>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;

TEST(ProgressBoard, DrawsABarWhereTheWholeIsKnown) {
  ProgressBoard board;
  board.report(R"({"resource":"svelte","message":"receiving","done":45,"total":100})", {});
  board.report(R"({"resource":"docs","message":"reading /docs","done":12})", {});
  EXPECT_THAT(board.lines(80, 10), ElementsAre("svelte  [#########...........]  45 %  receiving",
                                               "docs    reading /docs"));
}

TEST(ProgressBoard, TheLineOfAResourceIsDrawnAgain) {
  ProgressBoard board;
  EXPECT_TRUE(board.report(R"({"resource":"a","message":"receiving","done":1,"total":4})", {}));
  EXPECT_FALSE(board.report(R"({"resource":"a","message":"receiving","done":4,"total":4})", {}));
  EXPECT_THAT(board.lines(80, 10), ElementsAre("a  [####################] 100 %  receiving"));
  EXPECT_TRUE(board.report(R"({"resource":"a","message":"ready","done":9,"total":4})", {}));
  EXPECT_THAT(board.lines(80, 10), ElementsAre("a  [####################] 100 %  ready"));
  EXPECT_EQ(board.last(), "a: ready");
}

TEST(ProgressBoard, TellsTheRateAndTheTimeLeft) {
  ProgressBoard board;
  const auto at = [](double seconds) {
    return Clock::Steady(std::chrono::milliseconds(static_cast<int>(seconds * 1000)));
  };
  const auto report = [&](int done, const char* total, double seconds) {
    board.report(
        R"({"resource":"a","message":"reading","done":)" + std::to_string(done) + total + "}",
        at(seconds));
    return board.lines(80, 10)[0].substr(33);
  };
  constexpr const char* kTotal = R"(,"total":100000)";
  EXPECT_EQ(report(1'000, kTotal, 10), "reading");
  EXPECT_EQ(report(2'000, kTotal, 10.9), "reading") << "too early to tell";
  EXPECT_EQ(report(6'000, kTotal, 12.5), "reading, 2000 a second, 47 s left");
  EXPECT_EQ(report(100'000, kTotal, 110), "reading, 990 a second");
  EXPECT_EQ(report(1'000, kTotal, 120), "reading") << "it began again";
  EXPECT_EQ(report(1'100, kTotal, 130), "reading, 10 a second, 3 h left");
  EXPECT_EQ(report(1'101, R"(,"total":9000000)", 300), "reading") << "slower than one a second";
  board.report(R"({"resource":"b","message":"reading","done":0})", at(0));
  board.report(R"({"resource":"b","message":"reading","done":30})", at(10));
  EXPECT_EQ(board.lines(80, 10)[1], "b  reading, 3 a second") << "the whole is not known";
  board.report(R"({"resource":"b","message":"unpacking","done":30})", at(20));
  EXPECT_EQ(board.lines(80, 10)[1], "b  unpacking") << "another message";
}

TEST(ProgressBoard, TellsTheRateAndTheTimeLeftBesideALongPath) {
  ProgressBoard board;
  const std::string path = "reading /srv/" + std::string(200, 'p');
  const auto report = [&](int done, int second) {
    board.report(R"({"resource":"tree","total":90000,"message":")" + path + R"(","done":)" +
                     std::to_string(done) + "}",
                 Clock::Steady(std::chrono::seconds(second)));
  };
  report(0, 10);
  report(30'000, 20);
  EXPECT_THAT(
      board.lines(80, 10),
      ElementsAre(
          "tree  [######..............]  33 %  reading /srv/ppppp, 3000 a second, 20 s left"));
  EXPECT_THAT(board.lines(40, 10), ElementsAre("tree   33 %  reading , 3000 a second, 20"));
}

TEST(ProgressBoard, KeepsToTheWidthOfTheTerminal) {
  ProgressBoard board;
  board.report(R"({"resource":"größe","message":"empfängt äöü äöü äöü äöü","done":1,"total":2})",
               {});
  EXPECT_THAT(board.lines(40, 10), ElementsAre("größe   50 %  empfängt äöü äöü äöü äöü"));
  EXPECT_THAT(board.lines(24, 10), ElementsAre("größe   50 %  empfängt ä"));
  EXPECT_THAT(board.lines(3, 10), ElementsAre("grö"));
  board.report(R"({"resource":"a-name-that-is-much-longer-than-any","message":"m"})", {});
  EXPECT_THAT(board.lines(60, 10)[1], "a-name-that-is-much-long  m");
}

TEST(ProgressBoard, SaysHowManyThereAreMore) {
  ProgressBoard board;
  for (const char* name : {"a", "b", "c", "d"}) {
    board.report(R"({"message":"m","resource":")" + std::string(name) + "\"}", {});
  }
  EXPECT_THAT(board.lines(80, 3), ElementsAre("a  m", "b  m", "and 2 more"));
  EXPECT_EQ(board.lines(80, 4).size(), 4u);
}

TEST(ProgressBoard, PassesOverWhatIsNoEvent) {
  ProgressBoard board;
  EXPECT_FALSE(board.report("nonsense", {}));
  EXPECT_FALSE(board.report("[]", {}));
  EXPECT_THAT(board.lines(80, 10), ElementsAre());
  EXPECT_EQ(board.last(), "");
}

}  // namespace
}  // namespace quarry::cli
