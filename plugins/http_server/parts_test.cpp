#include "http_server/address.h"
#include "http_server/bearer.h"
#include "http_server/buffer.h"
#include "http_server/media_type.h"
#include "http_server/percent.h"
#include "http_server/policy.h"
#include "http_server/request.h"
#include "http_server/response.h"
#include "http_server/sse.h"
#include "http_server/surrogates.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

TEST(Traceparent, IsAHeaderThatIsGivenOnceAndIsNotLong) {
  const auto of = [](const std::vector<Header>& headers) {
    Request request;
    request.headers = headers;
    return std::string(traceparent(request));
  };
  EXPECT_EQ(of({{"a", "x"}, {"TraceParent", "00-x"}, {"b", "x"}}), "00-x");
  EXPECT_EQ(of({{"a", "x"}}), "");
  EXPECT_EQ(of({{"traceparent", "00-x"}, {"traceparent", "00-x"}}), "");
  const std::string longest(512, 'x');
  EXPECT_EQ(of({{"traceparent", longest}}), longest);
  const std::string longer(513, 'x');
  EXPECT_EQ(of({{"traceparent", longer}}), "");
}

TEST(Request, HasAListThatIsSentInSeveralFields) {
  const std::vector<Header> headers{
      {"Accept", "application/json"}, {"A", "x"}, {"accept", "text/event-stream, */*"}};
  Request request;
  request.headers = headers;
  EXPECT_EQ(request.list("Accept"), "application/json, text/event-stream, */*");
  EXPECT_EQ(request.list("a"), "x");
  EXPECT_EQ(request.list("b"), "");
}

TEST(Address, IsReadWithItsPort) {
  const auto v4 = parse_listen("127.0.0.1:8080");
  ASSERT_EQ(v4.size(), 1U);
  EXPECT_EQ(v4[0].url(), "http://127.0.0.1:8080");
  const auto v6 = parse_listen("[::1]:0");
  ASSERT_EQ(v6.size(), 1U);
  EXPECT_EQ(v6[0].url(), "http://[::1]:0");
}

TEST(Address, LocalhostIsBothLoopbackAddresses) {
  const auto both = parse_listen("localhost:80");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_FALSE(both[0].optional);
  EXPECT_TRUE(both[1].optional);
}

TEST(Address, IsRefusedWhenItIsNone) {
  for (const char* text : {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                           "127.0.0.1:-1", "example.com:80", "::1:80", "[::1]", "2130706433:80"}) {
    EXPECT_TRUE(parse_listen(text).empty()) << text;
  }
}

TEST(Address, KnowsLoopback) {
  EXPECT_TRUE(parse_listen("127.9.9.9:1")[0].is_loopback());
  EXPECT_TRUE(parse_listen("[::1]:1")[0].is_loopback());
  EXPECT_FALSE(parse_listen("0.0.0.0:1")[0].is_loopback());
  EXPECT_FALSE(parse_listen("[::]:1")[0].is_loopback());
  EXPECT_FALSE(parse_listen("[::ffff:127.0.0.1]:1")[0].is_loopback());
}

TEST(Address, IsTheSameTextHoweverItIsWritten) {
  for (const char* same : {"192.0.2.7", "::ffff:192.0.2.7", "::FFFF:C000:207"}) {
    EXPECT_EQ(canonical_ip(same), "192.0.2.7") << same;
  }
  for (const char* same : {"fd00::1", "FD00::1", "fd00:0:0:0:0:0:0:1"}) {
    EXPECT_EQ(canonical_ip(same), "fd00::1") << same;
  }
  for (const char* other : {"", "fe80::1%lo", "quarry.lan"}) {
    EXPECT_EQ(canonical_ip(other), other);
  }
}

class Policy : public ::testing::Test {
 protected:
  AccessPolicy::Verdict check(std::string_view host, std::string_view origin = {}) const {
    Request request;
    request.host = host;
    const Header header{"Origin", origin};
    if (!origin.empty()) request.headers = {&header, 1};
    return policy_.check(request);
  }

  AccessPolicy policy_{{"quarry.lan"}, {"https://app.example"}};
};

TEST_F(Policy, AllowsAddressesLocalhostAndConfiguredNames) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "[::1]", "localhost",
                           "LocalHost:8080", "192.168.1.5:8080", "quarry.lan:1"}) {
    EXPECT_EQ(check(host), AccessPolicy::Verdict::kAllowed) << host;
  }
}

TEST_F(Policy, RefusesForeignNames) {
  for (const char* host :
       {"", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "[::1].evil", "localhost.", "2130706433", "127.0.0.1:80:80"}) {
    EXPECT_EQ(check(host), AccessPolicy::Verdict::kForeignHost) << host;
  }
}

TEST_F(Policy, AllowsItsOwnAndConfiguredOrigins) {
  EXPECT_EQ(check("localhost:8080", "http://localhost:8080"), AccessPolicy::Verdict::kAllowed);
  EXPECT_EQ(check("localhost:8080", "https://app.example"), AccessPolicy::Verdict::kAllowed);
}

TEST_F(Policy, RefusesForeignOrigins) {
  for (const char* origin : {"https://evil.example", "null", "http://localhost:3000",
                             "https://app.example.evil", "http://localhost:8080.evil"}) {
    EXPECT_EQ(check("localhost:8080", origin), AccessPolicy::Verdict::kForeignOrigin) << origin;
  }
}

TEST_F(Policy, JudgesEveryOriginThatIsGiven) {
  const auto verdict = [&](std::vector<Header> headers) {
    Request request;
    request.host = "localhost:8080";
    request.headers = headers;
    return policy_.check(request);
  };
  using enum AccessPolicy::Verdict;
  EXPECT_EQ(verdict({{"Origin", ""}, {"Origin", "https://evil.example"}}), kForeignOrigin);
  EXPECT_EQ(verdict({{"Origin", "https://app.example"}, {"origin", "https://evil.example"}}),
            kForeignOrigin);
  EXPECT_EQ(verdict({{"Origin", ""}}), kForeignOrigin);
  EXPECT_EQ(verdict({{"Origin", "http://localhost:8080"}, {"Origin", "https://app.example"}}),
            kAllowed);
}

TEST(Policy10, LetsAnOldClientWithoutHostIn) {
  Request request;
  request.http_1_0 = true;
  EXPECT_EQ(AccessPolicy{}.check(request), AccessPolicy::Verdict::kAllowed);
}

TEST(Response, HasLengthTypeIdAndDate) {
  std::string out;
  render(out, Response::json("{}"), {"id-1"}, false);
  EXPECT_TRUE(out.starts_with("HTTP/1.1 200 OK\r\nDate: ")) << out;
  EXPECT_NE(out.find(" GMT\r\n"), out.npos);
  EXPECT_NE(out.find("Content-Type: application/json\r\n"), out.npos);
  EXPECT_NE(out.find("Content-Length: 2\r\n"), out.npos);
  EXPECT_NE(out.find("X-Request-Id: id-1\r\n"), out.npos);
  EXPECT_EQ(out.find("Connection:"), out.npos);
  EXPECT_TRUE(out.ends_with("\r\n\r\n{}"));
}

TEST(Response, OfHeadHasTheLengthAlone) {
  std::string head;
  render(head, Response::json("{}"), {}, true);
  EXPECT_TRUE(head.ends_with("Content-Length: 2\r\n\r\n"));
}

TEST(Response, ThatHasNoBodySaysNothingOfOne) {
  for (const int status : {204, 304}) {
    Response empty;
    empty.status = status;
    empty.content_type = {};
    std::string out;
    render(out, empty, {}, false);
    EXPECT_EQ(out.find("Content-"), out.npos) << out;
    EXPECT_TRUE(out.ends_with("\r\n\r\n"));
  }
}

TEST(Response, SaysWhetherTheConnectionStays) {
  std::string closing, old;
  render(closing, Response::json("{}"), {{}, false, false}, false);
  EXPECT_NE(closing.find("Connection: close\r\n"), closing.npos);
  render(old, Response::json("{}"), {{}, true, true}, false);
  EXPECT_NE(old.find("Connection: keep-alive\r\n"), old.npos);
}

TEST(Response, ChunksAreCountedInHexadecimal) {
  std::string out;
  render_chunk(out, std::string(26, 'x'));
  EXPECT_EQ(out, "1a\r\n" + std::string(26, 'x') + "\r\n");
}

TEST(ServerSentEvents, HaveASpaceAfterEachColon) {
  std::string out;
  append_retry(out, 3000);
  append_event(out, "text.delta", R"({"delta":"a"})", 7);
  append_comment(out, "two\nlines");
  EXPECT_EQ(out,
            "retry: 3000\n\nevent: text.delta\ndata: {\"delta\":\"a\"}\nid: 7\n\n: two lines\n\n");
}

TEST(ServerSentEvents, OfNoTypeAreMessages) {
  std::string out;
  append_message(out, "{\n}");
  EXPECT_EQ(out, "event: message\ndata: { }\n\n");
}

TEST(ServerSentEvents, StayOneLineWhateverTheData) {
  std::string out;
  append_event(out, "done", "{\n\"a\":\r\n1}", 1);
  EXPECT_EQ(out, "event: done\ndata: { \"a\":  1}\nid: 1\n\n");
}

// modelcontextprotocol/typescript-sdk#1925, florimondmanca/httpx-sse#34: readers that split there
TEST(ServerSentEvents, EscapeWhatOtherReadersTakeForTheEndOfALine) {
  std::string out;
  append_message(out,
                 "{\"a\":\"1\xE2\x80\xA8"
                 "2\xE2\x80\xA9"
                 "3\xC2\x85"
                 "4\"}");
  EXPECT_EQ(out, "event: message\ndata: {\"a\":\"1\\u20282\\u20293\\u00854\"}\n\n");
  out.clear();
  append_message(out, "\"\xE2\x80\x99 \xC2\xA0 \xE2\x82\xAC \xC3\x85 \xE2\x80\"");
  EXPECT_EQ(out,
            "event: message\ndata: \"\xE2\x80\x99 \xC2\xA0 \xE2\x82\xAC \xC3\x85 "
            "\xE2\x80\"\n\n")
      << "others stay";
}

TEST(Buffer, IsEmptiedAndGivesBackWhatIsMoreThanIsKept) {
  std::string buffer(1000, 'x');
  empty(buffer, 1000);
  EXPECT_EQ(buffer, "");
  EXPECT_GE(buffer.capacity(), 1000U);
  empty(buffer, 999);
  EXPECT_EQ(buffer, "");
  EXPECT_LT(buffer.capacity(), 100U);
}

TEST(Surrogates, ThatAreAloneAreReplaced) {
  for (const auto& [given, expected] : std::vector<std::pair<const char*, const char*>>{
           {R"("a\ud83d")", R"("a\ufffd")"},
           {R"("\uDCC5\ud83d\uDCC5\uDCC5")", R"("\ufffd\ud83d\uDCC5\ufffd")"},
           {R"("\ud83d\ud83d\udcc5")", R"("\ufffd\ud83d\udcc5")"},
           {R"("\ud83d\n\ud83dx")", R"("\ufffd\n\ufffdx")"},
           {R"("\\ud83d \\\ud83d")", R"("\\ud83d \\\ufffd")"},
           {R"("\u00e9\ud7ff\ue000\ud83")", R"("\u00e9\ud7ff\ue000\ud83")"},
           {R"("\)", R"("\)"},
           {"", ""}}) {
    EXPECT_EQ(without_lone_surrogates(given), expected);
  }
}

TEST(Percent, DecodesOrRefuses) {
  EXPECT_EQ(percent_decoded("a%20b%2fc%C3%A9"), "a b/c\xC3\xA9");
  for (const char* text : {"%", "%1", "%g0", "%0g", "a%", "%00", "%-1", "%+1"}) {
    EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
  }
}

TEST(Bearer, IsTheSchemeInAnyCaseAndOneSpace) {
  EXPECT_EQ(bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(bearer_token("bearer abc"), "abc");
  for (const char* other : {"", "Bearer", "Bearer ", "Basic abc", "Bearerabc"}) {
    EXPECT_EQ(bearer_token(other), "") << other;
  }
}

TEST(Bearer, IsComparedAsAWhole) {
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  for (const char* other : {"", "secre", "secrets", "Secret", "secretsecret"}) {
    EXPECT_FALSE(equal_in_constant_time("secret", other)) << other;
  }
  EXPECT_FALSE(equal_in_constant_time("", "a"));
}

TEST(MediaType, IsComparedWithoutItsParameters) {
  EXPECT_TRUE(is_media_type("application/json", "application/json"));
  EXPECT_TRUE(is_media_type("Application/JSON ; charset=utf-8", "application/json"));
  for (const char* other : {"", "text/plain", "application/json5", "text/plain;application/json"}) {
    EXPECT_FALSE(is_media_type(other, "application/json")) << other;
  }
}

TEST(MediaType, IsAcceptedByNameByWildcardOrNot) {
  constexpr std::string_view kEvents = "text/event-stream";
  for (const auto& [field, expected] : std::vector<std::pair<const char*, Accepts>>{
           {"", Accepts::kByWildcard},
           {"*/*", Accepts::kByWildcard},
           {"text/*", Accepts::kByWildcard},
           {"application/json, text/event-stream", Accepts::kByName},
           {"application/json,TEXT/EVENT-STREAM;q=0.5", Accepts::kByName},
           {"*/*, text/event-stream;q=0", Accepts::kNot},
           {"text/event-stream; q=0.0, */*", Accepts::kNot},
           {"application/json", Accepts::kNot},
           {"text/html, text/event", Accepts::kNot}}) {
    EXPECT_EQ(accepts(field, kEvents), expected) << field;
  }
}

}  // namespace
}  // namespace quarry::http_server
