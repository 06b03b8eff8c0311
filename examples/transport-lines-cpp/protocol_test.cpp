#include "protocol.h"

#include <gtest/gtest.h>

namespace {

using transport_lines::LineReader;
using transport_lines::parse_line;

std::string fault(std::string_view line) {
  const auto parsed = parse_line(line);
  return parsed.failure ? parsed.request.id + ": " + parsed.failure->message : "none";
}

TEST(Lines, AreRequests) {
  const auto parsed = parse_line(R"( {"params": {"a": [1]}, "id": "x\u0041", "method": "m"} )"
                                 "\r");
  ASSERT_FALSE(parsed.failure) << parsed.failure->message;
  EXPECT_EQ(parsed.request.id, R"("xA")");
  EXPECT_EQ(parsed.request.method, "m");
  EXPECT_EQ(parsed.request.params, R"({"a": [1]})");
  EXPECT_EQ(parse_line(R"({"id":-7,"method":"m"})").request.id, "-7");
  EXPECT_EQ(parse_line(R"({"id":-7,"method":"m"})").request.params, "{}");
}

TEST(Lines, OfOtherFormsSayWhy) {
  EXPECT_EQ(fault("hello"), "null: the line is no JSON object");
  EXPECT_EQ(fault(R"({"id":1,"method":"m"} {})"), "null: the line is no JSON object");
  EXPECT_EQ(fault(R"({"id":1.5,"method":"m"})"),
            "null: id is no integer, and no text of at most 64 bytes");
  EXPECT_EQ(fault(R"({"method":"m"})"), fault(R"({"id":[1]})"));
  EXPECT_EQ(fault(R"({"id":")" + std::string(65, 'x') + R"(","method":"m"})"), fault("{}"));
  EXPECT_EQ(fault(R"({"id":1})"), "1: method is missing");
  EXPECT_EQ(fault(R"({"id":1,"method":"m","params":[1]})"), "1: params is no JSON object");
}

TEST(Lines, AreWrittenWithoutLineBreaks) {
  EXPECT_EQ(transport_lines::result_line("1", "{\n \"a\": 2\r\n}"),
            "{\"id\":1,\"result\":{  \"a\": 2  }}\n");
  EXPECT_EQ(transport_lines::error_line("\"x\"", {QUARRY_NOT_FOUND, "a\nb", "", ""}),
            "{\"id\":\"x\",\"error\":{\"status\":2,\"message\":\"a\\u000ab\",\"hint\":\"\","
            "\"details\":{}}}\n");
  const quarry_event event{sizeof event, 3, quarry::as_text("done"), quarry::as_text("{}")};
  EXPECT_EQ(transport_lines::event_line("1", event),
            "{\"id\":1,\"event\":{\"number\":3,\"type\":\"done\",\"data\":{}}}\n");
}

TEST(LineReaders, JoinPieces) {
  LineReader reader;
  EXPECT_FALSE(reader.next());
  reader.append("one\ntw");
  EXPECT_EQ(**reader.next(), "one");
  EXPECT_FALSE(reader.next());
  reader.append("o\n\nthree\n");
  EXPECT_EQ(**reader.next(), "two");
  EXPECT_EQ(**reader.next(), "");
  EXPECT_EQ(**reader.next(), "three");
  EXPECT_FALSE(reader.next());
}

TEST(LineReaders, SkipALineThatIsTooLong) {
  LineReader reader;
  reader.append(std::string(LineReader::kMostLine, 'a') + "\n");
  EXPECT_TRUE(*reader.next()) << "as long as it may be";
  reader.append(std::string(LineReader::kMostLine + 1, 'b'));
  auto refused = reader.next();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->failure().message, "the line has more than 1048576 bytes");
  reader.append(std::string(LineReader::kMostLine, 'b'));
  EXPECT_FALSE(reader.next());
  reader.append("b\nnext\n");
  EXPECT_EQ(**reader.next(), "next");
  reader.append(std::string(LineReader::kMostLine + 1, 'c') + "\nlast\n");
  EXPECT_FALSE(*reader.next());
  EXPECT_EQ(**reader.next(), "last");
}

}  // namespace
