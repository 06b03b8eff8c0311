#include "mcp_server/era.h"

#include "http_server/request.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

Message message_of(const std::string& method, const std::string& params = "{}") {
  return parse_messages(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" +
                        params + "}")
      .all.front();
}

RequestHead head_of(std::vector<http_server::Header> headers) {
  http_server::Request request;
  request.headers = headers;
  return read_head(request);
}

constexpr char kMeta[] =
    R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}},"name":"t","uri":"u"})";

TEST(Era, IsToldByVersionHandshakeAndSigns) {
  const auto plain = message_of("tools/call");
  const auto with_meta = message_of("tools/call", R"({"_meta":{}})");
  const auto modern = message_of("tools/call", kMeta);
  struct Row {
    std::vector<http_server::Header> headers;
    Message message;
    Era era;
  };
  for (const auto& [headers, message, era] : std::vector<Row>{
           {{}, plain, Era::kInterface},
           {{{"Accept", "*/*"}}, plain, Era::kInterface},
           {{{"Accept", "application/json"}}, plain, Era::kInterface},
           {{{"Accept", "application/json, text/event-stream"}}, plain, Era::kLegacy},
           {{{"Accept", "application/json"}, {"Accept", "text/event-stream"}}, plain, Era::kLegacy},
           {{{"MCP-Protocol-Version", "2025-06-18"}}, plain, Era::kLegacy},
           {{{"mcp-session-id", "s"}}, plain, Era::kLegacy},
           {{{"Mcp-Method", "tools/call"}}, plain, Era::kLegacy},
           {{}, with_meta, Era::kLegacy},
           {{}, message_of("initialize"), Era::kLegacy},
           {{}, message_of("notifications/initialized"), Era::kLegacy},
           {{{"MCP-Protocol-Version", "v999.0.0"}}, plain, Era::kLegacy},
           {{{"MCP-Protocol-Version", "2026-07-28"}}, plain, Era::kModern},
           {{{"MCP-Protocol-Version", "2027-01-01"}}, plain, Era::kModern},
           {{}, modern, Era::kModern},
           {{}, message_of("initialize", kMeta), Era::kModern},
           {{{"MCP-Protocol-Version", "2025-06-18"}}, modern, Era::kModern}}) {
    EXPECT_EQ(era_of(head_of(headers), message), era)
        << message.method << " " << (headers.empty() ? "" : headers[0].value);
  }
}

TEST(Era, VersionsAreNegotiated) {
  for (const auto& [asked, given] :
       std::vector<std::pair<const char*, const char*>>{{"2024-11-05", "2024-11-05"},
                                                        {"2025-03-26", "2025-03-26"},
                                                        {"2025-06-18", "2025-06-18"},
                                                        {"2025-11-25", "2025-11-25"},
                                                        {"2026-07-28", "2025-11-25"},
                                                        {"1.0", "2025-11-25"},
                                                        {"", "2025-11-25"}}) {
    EXPECT_EQ(negotiate(asked), given) << asked;
  }
}

TEST(Era, ModernRequestsAreCheckedInEveryPlace) {
  const std::vector<http_server::Header> good{
      {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "t"}};
  const auto with = [&](std::size_t at, std::string_view value) {
    auto headers = good;
    headers[at].value = value;
    return headers;
  };
  const auto without = [&](std::ptrdiff_t at) {
    auto headers = good;
    headers.erase(headers.begin() + at);
    return headers;
  };
  const std::string no_capabilities =
      R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"t"})";
  const std::string other_version =
      R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v9",
          "io.modelcontextprotocol/clientCapabilities":{}},"name":"t"})";
  struct Row {
    std::vector<http_server::Header> headers;
    std::string params;
    int code;  // 0: fine
  };
  for (const auto& [headers, params, code] :
       std::vector<Row>{{good, kMeta, 0},
                        {with(2, "=?base64?dA==?="), kMeta, 0},
                        {with(2, "=?base64?dA=?="), kMeta, kHeaderMismatch},
                        {with(2, "=?base64?!A==?="), kMeta, kHeaderMismatch},
                        {with(2, "other"), kMeta, kHeaderMismatch},
                        {with(1, "TOOLS/CALL"), kMeta, kHeaderMismatch},
                        {with(1, "tools/list"), kMeta, kHeaderMismatch},
                        {with(0, "2025-11-25"), kMeta, kHeaderMismatch},
                        {without(0), kMeta, kHeaderMismatch},
                        {without(1), kMeta, kHeaderMismatch},
                        {without(2), kMeta, kHeaderMismatch},
                        {good, other_version, kHeaderMismatch},
                        {with(0, "v9"), other_version, kUnsupportedVersion},
                        {good, "{}", kInvalidParams},
                        {good, R"({"_meta":[]})", kInvalidParams},
                        {good, R"({"_meta":{}})", kInvalidParams},
                        {good, no_capabilities, kInvalidParams}}) {
    const auto refused = check_modern(head_of(headers), message_of("tools/call", params), true);
    EXPECT_EQ(refused ? refused->error.code : 0, code) << params;
    EXPECT_EQ(refused ? refused->status : 400, 400);
  }
}

TEST(Era, AnUnsupportedVersionIsToldWhichAreSupported) {
  const auto refused = check_modern(
      {},
      message_of("tools/list",
                 R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}})"),
      false);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error.data, R"({"requested":"2025-11-25","supported":["2026-07-28"]})");
}

TEST(Era, StandardInputNeedsNoHeaders) {
  EXPECT_FALSE(check_modern({}, message_of("tools/call", kMeta), false));
}

TEST(Era, TheNameOfAResourceIsItsUri) {
  const auto message = message_of("resources/read", kMeta);
  const std::vector<http_server::Header> headers{
      {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "resources/read"}, {"Mcp-Name", "u"}};
  EXPECT_FALSE(check_modern(head_of(headers), message, true));
}

TEST(Era, ArgumentsThatAHeaderMirrorsMustStandThere) {
  const Json properties = Json::parse(
      R"({"region":{"type":"string","x-mcp-header":"Region"},"other":{"type":"string"},
          "count":{"type":"integer","x-mcp-header":"Count"}})");
  for (const auto& [value, arguments, sound] :
       std::vector<std::tuple<const char*, const char*, bool>>{
           {"eu", R"({"region":"eu","other":"x"})", true},
           {"=?base64?ZXU=?=", R"({"region":"eu"})", true},
           {"us", R"({"region":"eu"})", false},
           {"us", R"({"other":"x"})", true},
           {"us", R"({"region":null})", true},
           {"eu", R"({"region":"eu","count":3})", false}}) {
    const auto head = head_of({{"mcp-param-REGION", value}});
    EXPECT_EQ(check_parameters(head, properties, Json::parse(arguments)).has_value(), !sound)
        << arguments;
  }
}

}  // namespace
}  // namespace quarry::mcp
