#include "model_http/framing.h"

#include <algorithm>
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
  std::string buffer;  // changes between feeds, as that of a connection does
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    buffer = bytes.substr(at, piece);
    EXPECT_TRUE(reader.feed(buffer, take));
    std::ranges::fill(buffer, '#');
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

// maximhq/bifrost#6784, and servers that write the mark as a JSON text
TEST(EventReader, GivesTheMarkOfTheEndInOneSpelling) {
  for (const char* mark : {"[DONE]", " [DONE] ", "[done]", "\"[DONE]\""}) {
    EXPECT_EQ(events_of("data: {}\n\ndata: " + std::string(mark) + "\n\n", 3),
              (Lines{"|{}", "|[DONE]"}))
        << mark;
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
    EXPECT_EQ(events_of(bytes, piece), (Lines{"first|{\"a\":1}", "|no space", "|one\ntwo"}))
        << piece;
  }
}

// A proxy frames what was framed before.
TEST(EventReader, TakesDataThatIsNamedTwice) {
  EXPECT_EQ(events_of("data: data: {\"a\":1}\n\ndata: data: [DONE]\n\n", 5),
            (Lines{"|{\"a\":1}", "|[DONE]"}));
}

TEST(EventReader, TakesAnEventWhoseBlankLineLacks) {
  EXPECT_EQ(events_of("data: last", 3), Lines{"|last"});
  EXPECT_EQ(events_of("data: last\r\n", 3), Lines{"|last"});
}

// ggml-org/llama.cpp#14268: events without blank lines between them.
TEST(EventReader, TakesEventsWithoutBlankLines) {
  const std::string bytes =
      "data: {\"a\":1}\ndata: {\"a\":2}\ndata: {\"a\":\ndata: 3}\ndata: [DONE]\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(events_of(bytes, piece),
              (Lines{"|{\"a\":1}", "|{\"a\":2}", "|{\"a\":\n3}", "|[DONE]"}))
        << piece;
  }
  EXPECT_EQ(events_of("event: a\ndata: {}\nevent: b\ndata: {\"b\":1}\n", 5),
            (Lines{"a|{}", "b|{\"b\":1}"}));
  EXPECT_EQ(events_of("data: {}\nevent: a\n\n", 5), Lines{"a|{}"}) << "a name may follow its data";
}

// To read all of the data again for each of its lines would take hours.
TEST(EventReader, ReadsEachOfManyLinesOfAnEventOnce) {
  constexpr std::size_t kLines = 500'000;
  std::string bytes = "event: a\ndata: {\"a\":[1\n";
  for (std::size_t i = 0; i < kLines; ++i) bytes += "data: ,1\nevent: a\n";
  bytes += "data: ]}\ndata: {}\n\n";
  const Lines object = events_of(bytes, std::size_t{64} << 10);
  ASSERT_EQ(object.size(), 2u);
  EXPECT_EQ(object[0].size(), std::string_view("a|{\"a\":[1\n]}").size() + 3 * kLines);
  EXPECT_EQ(object[1], "|{}");
  std::string blanks;
  for (std::size_t i = 0; i < kLines; ++i) blanks += "data:\n";
  const Lines blank = events_of(blanks + "data: {}\n\n", std::size_t{64} << 10);
  EXPECT_EQ(blank, Lines{"|" + std::string(kLines, '\n') + "{}"});
}

// openai/openai-node#2317: nothing follows the end for as long as the connection is open.
TEST(EventReader, TakesTheLastEventAtItsLineEnd) {
  Lines out;
  EventReader reader;
  const auto take = [&](std::string_view, std::string_view data) { out.emplace_back(data); };
  reader.feed("data: {}\ndata: [DONE]\n", take);
  EXPECT_EQ(out, (Lines{"{}", "[DONE]"}));
}

/// The messages of a body in pieces of this size.
Lines messages_of(std::string_view bytes, std::size_t piece) {
  Lines out;
  MessageReader reader;
  const auto take = [&](std::string_view name, std::string_view data) {
    out.push_back(std::string(name).append("|").append(data));
  };
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    EXPECT_TRUE(reader.feed(bytes.substr(at, piece), take));
  }
  reader.finish(take);
  return out;
}

struct Body {
  const char* bytes;
  Lines messages;
};

TEST(MessageReader, ReadsTheFramingThatABodyHas) {
  const std::vector<Body> bodies = {
      {"\n\nevent: a\ndata: 1\n\n", {"a|1"}},
      {": keep-alive\n\ndata: {}\n\n", {"|{}"}},
      {"{\"a\":1}\n{\"a\":2}\n", {"|{\"a\":1}", "|{\"a\":2}"}},
      {"\xEF\xBB\xBF{\"a\":1}", {"|{\"a\":1}"}},
      // langgenius/dify-plugin-daemon, google-gemini without alt=sse: an array, item by item
      {"[{\"a\":1}\n,\r\n{\"a\":2}]\n", {"|{\"a\":1}", "|{\"a\":2}"}},
      // a whole reply, written for people
      {"{\n  \"a\": 1\n}\n", {"|{\n\"a\": 1\n}"}},
      // decolua/9router#3492: a whole reply, and the end of a stream after it
      {"{\"a\":1}\n\ndata: [DONE]\n\n", {"|{\"a\":1}", "|[DONE]"}},
      {"{\n\"a\":1\n}\ndata: [DONE]\n\n", {"|{\n\"a\":1\n}", "|[DONE]"}},
      {"{no json", {"|{no json"}},
      {"<html>no</html>", {}},
      {" \n", {}}};
  for (const auto& [bytes, messages] : bodies) {
    for (std::size_t piece = 1; piece <= std::string_view(bytes).size(); ++piece) {
      EXPECT_EQ(messages_of(bytes, piece), messages) << bytes << " in pieces of " << piece;
    }
  }
}

TEST(MessageReader, DropsTheSameBeforeTheFirstMessageHoweverItIsCut) {
  for (const std::string body : {" data: {}\n\n", "\xEF\xBB\xBF\n \r\ndata: {}\n\n",
                                 "\n\xEF\xBB\xBF"
                                 "data: {}\n\n",
                                 "\xEF\xBB\xBF\xEF\xBB\xBF"
                                 "data: {}\n\n",
                                 " \n{}", "\xEF\xBB"}) {
    const auto read = [&](std::size_t piece) {
      MessageReader reader;
      Lines out;
      const auto take = [&](std::string_view, std::string_view data) { out.emplace_back(data); };
      for (std::size_t at = 0; at < body.size(); at += piece) {
        EXPECT_TRUE(reader.feed(std::string_view(body).substr(at, piece), take));
      }
      reader.finish(take);
      return out;
    };
    EXPECT_EQ(read(body.size()), Lines(body == "\xEF\xBB" ? 0 : 1, "{}")) << body;
    for (std::size_t piece = 1; piece < body.size(); ++piece) {
      EXPECT_EQ(read(piece), read(body.size())) << piece << " of " << body;
    }
  }
}

// DeepSeek sends line ends for as long as a request waits for its turn.
TEST(MessageReader, KeepsNoneOfTheBlanksBeforeTheFirstMessage) {
  MessageReader reader;
  Lines out;
  const auto take = [&](std::string_view, std::string_view data) { out.emplace_back(data); };
  const std::string blanks(std::size_t{1} << 20, '\n');
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(reader.feed(blanks, take)) << "they are no message of more than 16 MiB";
  }
  EXPECT_TRUE(reader.feed("data: {}\n\n", take));
  EXPECT_EQ(out, Lines{"{}"});
}

}  // namespace
}  // namespace quarry::model_http
