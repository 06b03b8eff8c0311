#include "engine/replication/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

using namespace std::chrono_literals;

TEST(ReplicationMessages, AreReadInTheirParts) {
  const Message event = read_message("event q1 meta {\"a\": 1}");
  EXPECT_EQ(event.word, "event");
  EXPECT_EQ(event.id, "q1");
  EXPECT_EQ(event.rest, "meta {\"a\": 1}");
  const Message question = read_message("question {\"id\": \"q 1\"}");
  EXPECT_EQ(question.id, "");
  EXPECT_EQ(question.rest, "{\"id\": \"q 1\"}");
  const Message known = read_message("known");
  EXPECT_EQ(known.word, "known");
  EXPECT_TRUE(known.id.empty() && known.rest.empty());
  EXPECT_EQ(read_message("").word, "");
  EXPECT_EQ(read_message("read q1").id, "q1");
}

TEST(ReplicationMessages, AQuestionIsReadAsItWasWritten) {
  const std::string line = question_line({"q1", "token", 1500ms});
  EXPECT_TRUE(line.ends_with('\n'));
  const auto read = read_question_header(read_message(line.substr(0, line.size() - 1)).rest);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, "q1");
  EXPECT_EQ(read->bearer, "token");
  EXPECT_EQ(read->keep, 1500ms);
}

TEST(ReplicationMessages, AQuestionMustBeWhole) {
  for (const char* const json :
       {"", "[]", R"({"bearer":"","keepMs":1})", R"({"id":1,"bearer":"","keepMs":1})",
        R"({"id":"q","keepMs":1})", R"({"id":"q","bearer":1,"keepMs":1})",
        R"({"id":"q","bearer":""})", R"({"id":"q","bearer":"","keepMs":1.5})"}) {
    EXPECT_FALSE(read_question_header(json)) << json;
  }
}

TEST(ReplicationMessages, ADeltaIsItsText) {
  const auto delta = read_event(R"(text.delta {"type":"text.delta","delta":"a\"\n"})");
  ASSERT_TRUE(delta);
  EXPECT_EQ(delta->type, EventType::kTextDelta);
  EXPECT_EQ(delta->payload, "a\"\n");
  const auto other = read_event("citation {\"delta\": 1}");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->type, EventType::kCitation);
  EXPECT_EQ(other->payload, "{\"delta\": 1}");
  for (const char* const text : {"", "weather {}", "text.delta", "text.delta []", "text.delta {}",
                                 "text.delta {\"delta\":1}"}) {
    EXPECT_FALSE(read_event(text)) << text;
  }
}

TEST(ReplicationMessages, CitationsMustBeWhole) {
  ASSERT_TRUE(read_cited("[]"));
  EXPECT_TRUE(read_cited(R"([{"citation":"{}","firstLine":1,"lines":[],"more":1}])"));
  for (const char* const json :
       {"", "{}", "[1]", R"([{"firstLine":1,"lines":[]}])",
        R"([{"citation":1,"firstLine":1,"lines":[]}])", R"([{"citation":"","lines":[]}])",
        R"([{"citation":"","firstLine":-1,"lines":[]}])", R"([{"citation":"","firstLine":1}])",
        R"([{"citation":"","firstLine":1,"lines":{}}])",
        R"([{"citation":"","firstLine":1,"lines":[1]}])"}) {
    EXPECT_FALSE(read_cited(json)) << json;
  }
}

TEST(ReplicationMessages, AStopHasItsReason) {
  for (const auto reason :
       {ask::StopReason::kAsked, ask::StopReason::kWithdrawn, ask::StopReason::kShutdown}) {
    const std::string line = stop_line("q1", reason);
    const Message message = read_message(std::string_view(line).substr(0, line.size() - 1));
    EXPECT_EQ(message.word, "stop");
    EXPECT_EQ(message.id, "q1");
    EXPECT_EQ(read_reason(message.rest), reason);
  }
  EXPECT_EQ(stop_line("q1", ask::StopReason::kTime), "stop q1 asked\n");
  EXPECT_EQ(read_reason("bored"), ask::StopReason::kAsked);
}

}  // namespace
}  // namespace quarry::engine
