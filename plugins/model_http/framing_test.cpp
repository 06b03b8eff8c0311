#include "model_http/framing.h"

#include <vector>

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

using Lines = std::vector<std::string>;

/// Every line of `bytes`, fed in pieces of `piece` bytes, then the rest.
Lines lines_of(std::string_view bytes, std::size_t piece) {
  LineReader reader;
  Lines out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    EXPECT_TRUE(reader.feed(bytes.substr(at, piece),
                            [&](std::string_view line) { out.emplace_back(line); }));
  }
  out.push_back("rest:" + std::string(reader.rest()));
  return out;
}

Lines events_of(std::string_view bytes, std::size_t piece) {
  EventReader reader;
  Lines out;
  const auto take = [&](std::string_view name, std::string_view data) {
    out.push_back(std::string(name) + "|" + std::string(data));
  };
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    EXPECT_TRUE(reader.feed(bytes.substr(at, piece), take));
  }
  reader.finish(take);
  return out;
}

TEST(LineReader, EndsALineAtAnyOfTheThreeEndsHoweverItIsCut) {
  const std::string bytes = "one\ntwo\r\n\r\nthree\rfour\n\nfive";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(lines_of(bytes, piece), (Lines{"one", "two", "", "three", "four", "", "rest:five"}))
        << piece;
  }
}

TEST(LineReader, RefusesALineThatIsTooLong) {
  const auto ignore = [](std::string_view) {};
  LineReader whole(4);
  EXPECT_TRUE(whole.feed("1234\n", ignore));
  EXPECT_FALSE(whole.feed("12345\n", ignore));
  LineReader in_pieces(4);
  EXPECT_TRUE(in_pieces.feed("123", ignore));
  EXPECT_FALSE(in_pieces.feed("45", ignore));
}

TEST(EventReader, GivesNamesAndDataHoweverItIsCut) {
  const std::string bytes =
      "\xEF\xBB\xBF: a comment\r\nevent: first\r\ndata: {\"a\":1}\r\n\r\n"
      "data:no space\nid: 7\nretry: 10\n\nevent: none\n\ndata\n\ndata: one\ndata: two\n\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(events_of(bytes, piece), (Lines{"first|{\"a\":1}", "|no space", "|", "|one\ntwo"}))
        << piece;
  }
}

TEST(EventReader, TakesAnEventWhoseBlankLineLacks) {
  EXPECT_EQ(events_of("data: last", 3), Lines{"|last"});
  EXPECT_EQ(events_of("data: last\r\n", 3), Lines{"|last"});
}

}  // namespace
}  // namespace quarry::model_http
