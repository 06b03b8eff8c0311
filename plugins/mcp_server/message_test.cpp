#include "mcp_server/message.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

using Kind = Message::Kind;

Message one(std::string_view text) {
  Messages messages = parse_messages(text);
  EXPECT_FALSE(messages.problem) << text;
  EXPECT_FALSE(messages.is_batch) << text;
  EXPECT_EQ(messages.all.size(), 1U) << text;
  return std::move(messages.all.front());
}

/// The answer of a server without methods, by the specification alone; empty if there is none.
std::string answer_to(std::string_view text) {
  const Messages messages = parse_messages(text);
  if (messages.problem) return error_message("null", *messages.problem);
  std::string all;
  for (const Message& message : messages.all) {
    if (message.kind == Kind::kNotification || message.kind == Kind::kResponse) continue;
    const bool invalid = message.kind == Kind::kInvalid;
    all += (all.empty() ? "" : ",") +
           error_message(message.id,
                         invalid ? message.problem : RpcError{kMethodNotFound, "Method not found"});
  }
  return messages.is_batch && !all.empty() ? "[" + all + "]" : all;
}

/// The code and id of each error in an answer: "-32600 null, -32601 \"5\"".
std::string errors_in(std::string_view answer) {
  const Json parsed = Json::parse(answer);
  const Json list = parsed.is_array() ? parsed : Json::array({parsed});
  std::string out = parsed.is_array() ? "batch: " : "";
  for (const Json& one : list) {
    EXPECT_EQ(one["jsonrpc"], "2.0");
    EXPECT_FALSE(one["error"]["message"].get<std::string>().empty());
    if (!out.empty() && !out.ends_with(": ")) out += ", ";
    out += std::to_string(one["error"]["code"].get<int>()) + " " + one["id"].dump();
  }
  return out;
}

// https://www.jsonrpc.org/specification#examples, of a server that knows no method.
TEST(JsonRpc, ExamplesOfItsSpecification) {
  for (const auto& [text, errors] : std::vector<std::pair<const char*, const char*>>{
           {R"({"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1})", "-32601 1"},
           {R"({"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2})", "-32601 2"},
           {R"({"jsonrpc": "2.0", "method": "subtract",
               "params": {"subtrahend": 23, "minuend": 42}, "id": 3})",
            "-32601 3"},
           {R"({"jsonrpc": "2.0", "method": "subtract",
               "params": {"minuend": 42, "subtrahend": 23}, "id": 4})",
            "-32601 4"},
           {R"({"jsonrpc": "2.0", "method": "foobar", "id": "1"})", R"(-32601 "1")"},
           {R"({"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz])", "-32700 null"},
           {R"({"jsonrpc": "2.0", "method": 1, "params": "bar"})", "-32600 null"},
           {R"([{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
               {"jsonrpc": "2.0", "method"])",
            "-32700 null"},
           {"[]", "-32600 null"},
           {"[1]", "batch: -32600 null"},
           {"[1,2,3]", "batch: -32600 null, -32600 null, -32600 null"},
           {R"([{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
               {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
               {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
               {"foo": "boo"},
               {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
               {"jsonrpc": "2.0", "method": "get_data", "id": "9"}])",
            R"(batch: -32601 "1", -32601 "2", -32600 null, -32601 "5", -32601 "9")"}}) {
    EXPECT_EQ(errors_in(answer_to(text)), errors) << text;
  }
  for (const char* silent : {R"({"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]})",
                             R"({"jsonrpc": "2.0", "method": "foobar"})",
                             R"([{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
            {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}])"}) {
    EXPECT_EQ(answer_to(silent), "") << silent;
  }
}

// An error with the id null left the client waiting.
TEST(JsonRpc, ARequestWithHalfASurrogatePairKeepsItsId) {
  const Message message =
      one(R"({"jsonrpc":"2.0","method":"m","params":{"a":"\ud83d"},"id":"\u00e9"})");
  EXPECT_EQ(message.kind, Kind::kRequest);
  EXPECT_EQ(message.id, R"("\u00e9")");
  EXPECT_EQ(find_string(*message.params, "a"), "\xEF\xBF\xBD");
}

TEST(JsonRpc, IdsAreKeptByteByByte) {
  for (const char* id : {"1", "-7", "0", "1.0", "1e2", "12345678901234567890123", "\"a\"", "\"\"",
                         R"("\u00e9\/\"")", "0.10"}) {
    const Message message =
        one(R"({"id" : )" + std::string(id) + R"( , "jsonrpc":"2.0","method":"m"})");
    EXPECT_EQ(message.kind, Kind::kRequest) << id;
    EXPECT_EQ(message.id, id);
  }
}

TEST(JsonRpc, TellsIdsOfTheProtocolFromOthers) {
  for (const auto& [id, plain] : std::vector<std::pair<const char*, bool>>{{"1", true},
                                                                           {"\"1\"", true},
                                                                           {"-1", true},
                                                                           {"1.5", false},
                                                                           {"1.0", true},
                                                                           {"1e40", true}}) {
    EXPECT_EQ(one(R"({"jsonrpc":"2.0","method":"m","id":)" + std::string(id) + "}").has_plain_id,
              plain)
        << id;
  }
}

// chaitin/MonkeyCode#1268
TEST(JsonRpc, NullForParamsIsNone) {
  const Messages messages =
      parse_messages(R"({"jsonrpc":"2.0","method":"m","id":1,"params":null})");
  ASSERT_EQ(messages.all.size(), 1U);
  EXPECT_EQ(messages.all[0].kind, Message::Kind::kRequest);
  EXPECT_EQ(*messages.all[0].params, Json::object());
}

// PHP makes an empty list of an empty map; arguments were read so already.
TEST(JsonRpc, AnEmptyListForParamsIsNone) {
  const Message message = one(R"({"jsonrpc":"2.0","method":"m","id":1,"params":[]})");
  ASSERT_EQ(message.kind, Kind::kRequest);
  EXPECT_EQ(*message.params, Json::object());
}

TEST(JsonRpc, SaysWhatIsWrongWithAMessage) {
  for (const auto& [text, word] : std::vector<std::pair<const char*, const char*>>{
           {"1", "object"},
           {"null", "object"},
           {R"("text")", "object"},
           {R"({"method":"m","id":1})", "jsonrpc"},
           {R"({"jsonrpc":"1.0","method":"m","id":1})", "jsonrpc"},
           {R"({"jsonrpc":2.0,"method":"m","id":1})", "jsonrpc"},
           {R"({"jsonrpc":"2.0","id":1})", "method"},
           {R"({"jsonrpc":"2.0","method":null,"id":1})", "method"},
           {R"({"jsonrpc":"2.0","method":"m","id":null})", "id"},
           {R"({"jsonrpc":"2.0","method":"m","id":{}})", "id"},
           {R"({"jsonrpc":"2.0","method":"m","id":[1]})", "id"},
           {R"({"jsonrpc":"2.0","method":"m","id":true})", "id"},
           {R"({"jsonrpc":"2.0","method":"m","\u0069d":1})", "id"},
           {R"({"jsonrpc":"2.0","method":"m","id":1,"params":"x"})", "params"},
           {R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})", "method"}}) {
    const Message message = one(text);
    EXPECT_EQ(message.kind, Kind::kInvalid) << text;
    EXPECT_EQ(message.problem.code, kInvalidRequest);
    EXPECT_NE(message.problem.message.find(word), std::string::npos) << message.problem.message;
  }
}

TEST(JsonRpc, AnIdIsKnownEvenWhenTheRestIsWrong) {
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","id":7})").id, "7");
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","method":"m","id":[]})").id, "null");
}

TEST(JsonRpc, ParamsThatAreNotThereAreNone) {
  EXPECT_EQ(dump(*one(R"({"jsonrpc":"2.0","method":"m","id":1})").params), "{}");
}

TEST(JsonRpc, ParamsOutliveTheText) {
  std::string text = R"([{"jsonrpc":"2.0","method":"m","id":1,"params":{"a":"long enough"}}])";
  const Message message = parse_messages(text).all.front();
  text.assign(text.size(), 'x');
  EXPECT_EQ(dump(*message.params), R"({"a":"long enough"})");
}

TEST(JsonRpc, ResponsesAreKnown) {
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, Kind::kResponse);
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})").kind,
            Kind::kResponse);
}

TEST(JsonRpc, ABodyThatIsNotJsonIsToldWhere) {
  const Messages messages = parse_messages(R"({"jsonrpc":"2.0",})");
  ASSERT_TRUE(messages.problem);
  EXPECT_EQ(messages.problem->code, kParseError);
  EXPECT_NE(messages.problem->message.find("at byte 18"), std::string::npos)
      << messages.problem->message;
}

TEST(JsonRpc, WritesMessages) {
  EXPECT_EQ(result_message("1.0", R"({"a":1})"), R"({"jsonrpc":"2.0","id":1.0,"result":{"a":1}})");
  EXPECT_EQ(error_message("null", {-1, "no \"x\"", {}}),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no \"x\""}})");
  EXPECT_EQ(error_message("\"a\"", {-1, "m", "[1]"}),
            R"({"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"m","data":[1]}})");
  EXPECT_EQ(notification_message("n", "{}"), R"({"jsonrpc":"2.0","method":"n","params":{}})");
}

}  // namespace
}  // namespace quarry::mcp
