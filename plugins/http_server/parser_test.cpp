#include "http_server/parser.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

using Step = RequestParser::Step;

constexpr std::string_view kPost = "POST /x HTTP/1.1\r\nHost: a\r\n";

/// The result of parsing bytes.
struct Outcome {
  Step step = Step::kNeedMore;
  int status = 0;
  std::string method, target, host, body;

  bool operator==(const Outcome&) const = default;
};

Outcome parse(std::string_view bytes, std::size_t piece, const Limits& limits = {}) {
  RequestParser parser(limits);
  Outcome outcome;
  while (!bytes.empty()) {
    parser.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    do {
      outcome.step = parser.parse();
    } while (outcome.step == Step::kHead);
    if (outcome.step != Step::kNeedMore) break;
  }
  if (outcome.step == Step::kRefused) outcome.status = parser.refusal().status;
  if (outcome.step != Step::kComplete) return outcome;
  const Request& request = parser.request();
  outcome.method = request.method;
  outcome.target = request.target;
  outcome.host = request.host;
  outcome.body = request.body;
  return outcome;
}

/// The status with which `bytes` are refused, at once and byte by byte; 0 if they are not.
int refusal_of(const std::string& bytes, const Limits& limits = {}) {
  const Outcome whole = parse(bytes, bytes.size(), limits);
  const Outcome bytewise = parse(bytes, 1, limits);
  EXPECT_EQ(whole.status, bytewise.status) << bytes;
  return whole.status;
}

TEST(RequestParser, ReadsTheSameHoweverTheBytesAreCut) {
  const std::string request =
      "POST /a/b?c=d&e HTTP/1.1\r\nHost: localhost:8080\r\nX-Request-Id: 7\r\n"
      "Content-Length: 11\r\n\r\nhello world";
  const Outcome whole = parse(request, request.size());
  EXPECT_EQ(whole,
            (Outcome{Step::kComplete, 0, "POST", "/a/b?c=d&e", "localhost:8080", "hello world"}));
  for (std::size_t piece = 1; piece < request.size(); ++piece) {
    EXPECT_EQ(parse(request, piece), whole) << piece;
  }
}

TEST(RequestParser, ReadsChunksHoweverTheBytesAreCut) {
  const std::string request = std::string(kPost) +
                              "Transfer-Encoding: Chunked\r\n\r\n"
                              "5;why=not\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t piece = 1; piece <= request.size(); ++piece) {
    EXPECT_EQ(parse(request, piece).body, "hello world") << piece;
  }
}

TEST(RequestParser, AcceptsAnEmptyChunkedBody) {
  EXPECT_EQ(refusal_of(std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 0);
}

TEST(RequestParser, KeepsPipelinedRequestsApart) {
  const Limits limits;
  RequestParser parser(limits);
  parser.append(std::string(kPost) +
                "Content-Length: 2\r\n\r\nabGET /second HTTP/1.1\r\nHost: b\r\n\r\nGET");
  ASSERT_EQ(parser.parse(), Step::kHead);
  ASSERT_EQ(parser.parse(), Step::kComplete);
  EXPECT_EQ(parser.request().body, "ab");
  parser.forget();
  ASSERT_EQ(parser.parse(), Step::kComplete);
  EXPECT_EQ(parser.request().path, "/second");
  EXPECT_EQ(parser.request().body, "");
  parser.forget();
  EXPECT_EQ(parser.parse(), Step::kNeedMore);
  EXPECT_FALSE(parser.idle());
}

TEST(RequestParser, SplitsTheTarget) {
  const Limits limits;
  RequestParser parser(limits);
  parser.append("GET /a%20b?x=1&flag&y=%2F&x=2&xy=3&x HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_EQ(parser.parse(), Step::kComplete);
  const Request& request = parser.request();
  EXPECT_EQ(request.path, "/a%20b");
  EXPECT_EQ(request.parameter("x"), "1");
  EXPECT_EQ(request.parameter("flag"), "");
  EXPECT_EQ(request.parameter("y"), "%2F");
  EXPECT_EQ(request.parameter("z"), "");
  EXPECT_EQ(request.parameters("x"), (std::vector<std::string_view>{"1", "2", ""}));
  EXPECT_TRUE(request.parameters("z").empty());
  EXPECT_EQ(request.header("HOST"), "h");
}

TEST(RequestParser, TakesTheHostOfAnAbsoluteTarget) {
  const auto outcome = parse("GET http://evil.example/p?q HTTP/1.1\r\nHost: localhost\r\n\r\n", 99);
  EXPECT_EQ(outcome.host, "evil.example");
  EXPECT_EQ(outcome.target, "/p?q");
  EXPECT_EQ(parse("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n", 99).target, "/");
  const auto secure = parse("GET HTTPS://h:443/p HTTP/1.1\r\nHost: h\r\n\r\n", 99);
  EXPECT_EQ(secure.host, "h:443");
  EXPECT_EQ(secure.target, "/p");
}

TEST(RequestParser, IgnoresOneEmptyLineAheadOfARequest) {
  EXPECT_EQ(refusal_of("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"), 0);
}

TEST(RequestParser, KnowsWhetherTheConnectionStays) {
  const auto stays = [](std::string_view start, std::string_view fields) {
    const Limits limits;
    RequestParser parser(limits);
    parser.append(std::string(start) + "\r\nHost: h\r\n" + std::string(fields) + "\r\n");
    EXPECT_EQ(parser.parse(), Step::kComplete);
    return parser.keep_alive();
  };
  EXPECT_TRUE(stays("GET / HTTP/1.1", ""));
  EXPECT_FALSE(stays("GET / HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(stays("GET / HTTP/1.0", ""));
  EXPECT_TRUE(stays("GET / HTTP/1.0", "Connection: keep-alive\r\n"));
}

TEST(RequestParser, RefusesWhatTwoReadersCouldFrameDifferently) {
  const std::string post(kPost);
  const std::string chunk = "0\r\n\r\n";
  for (const std::string& smuggled : std::vector<std::string>{
           post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
           post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunk,
           post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
           post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
           post + "Content-Length: 5, 6\r\n\r\nhello",
           post + "Content-Length: 5, 5\r\n\r\nhello",
           post + "Content-Length: 5,5\r\n\r\nhello",
           post + "Content-Length: 5,\r\n\r\nhello",
           post + "Content-Length: ,5\r\n\r\nhello",
           post + "Content-Length: 5 5\r\n\r\nhello",
           post + "Content-Length: 5\r\nContent-length: 5\r\n\r\nhello",
           post + "Content-Length:\r\nContent-Length: 5\r\n\r\nhello",
           post + "Content-Length: +5\r\n\r\nhello",
           post + "Content-Length: -1\r\n\r\nhello",
           post + "Content-Length: 0x5\r\n\r\nhello",
           post + "Content-Length: 99999999999999999999\r\n\r\nhello",
           post + "Content-Length: \r\n\r\nhello",
           post + "Transfer-Encoding: gzip\r\n\r\n" + chunk,
           post + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunk,
           post + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunk,
           post + "Transfer-Encoding: chunked, chunked\r\n\r\n" + chunk,
           post + "Transfer-Encoding: x, chunked\r\n\r\n" + chunk,
           post + "Transfer-Encoding: chunked,\r\n\r\n" + chunk,
           post + "Transfer-Encoding: \"chunked\"\r\n\r\n" + chunk,
           post + "Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
           post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
           post +
               "Transfer-Encoding: \x0b"
               "chunked\r\n\r\n" +
               chunk,
           post + "Transfer-Encoding : chunked\r\n\r\n" + chunk,
           "POST /x HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
           "GET / HTTP/1.1\nHost: a\n\n",
           "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\n\n",
           "GET / HTTP/1.1\r\nHost: a\r\nX: y\rz\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n folded\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nX:\r\n\tfolded\r\n\r\n",
           "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
           "GET / HTTP/1.1\r\nHost:\r\nhost: a\r\n\r\n",
           "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
           post + "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
           post + "Authorization:\r\nauthorization: Bearer b\r\n\r\n",
           post + "Content-Type: text/plain\r\nContent-Type: application/json\r\n\r\n",
           post + "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n",
           "GET / HTTP/1.1\r\nX: y\r\n\r\n",
           std::string("GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", 33),
           "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
           "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
           "GET nothing HTTP/1.1\r\nHost: a\r\n\r\n",
           "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
           "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
           "G@T / HTTP/1.1\r\nHost: a\r\n\r\n",
           "GET /\r\nHost: a\r\n\r\n",
           "\x16\x03\x01\x02\r\n\r\n",
       }) {
    EXPECT_EQ(refusal_of(smuggled), 400) << smuggled;
  }
}

TEST(RequestParser, RefusesMalformedChunks) {
  const std::string chunked = std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n";
  for (const char* body :
       {"x\r\nhello", "-1\r\nx\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n", "0\r\nContent-Length: 4\r\n\r\n"}) {
    EXPECT_EQ(refusal_of(chunked + body), 400) << body;
  }
}

TEST(RequestParser, RefusesAHeaderThatIsTooLarge) {
  const std::string start = "GET / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(refusal_of(start + "X: " + std::string(17'000, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(refusal_of(start + "X: " + std::string(17'000, 'x')), 431);
  EXPECT_EQ(refusal_of("GET /" + std::string(17'000, 'x')), 431);
  EXPECT_EQ(refusal_of(start + "X: " + std::string(15'000, 'x') + "\r\n\r\n"), 0);
  std::string many;
  for (int i = 0; i < 101; ++i) many += "X: y\r\n";
  EXPECT_EQ(refusal_of(start + many + "\r\n"), 431);
}

TEST(RequestParser, RefusesABodyThatIsTooLarge) {
  Limits limits;
  limits.body_bytes = 10;
  const std::string post(kPost);
  EXPECT_EQ(refusal_of(post + "Content-Length: 11\r\n\r\n", limits), 413);
  EXPECT_EQ(refusal_of(post + "Content-Length: 10\r\n\r\n0123456789", limits), 0);
  const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(refusal_of(chunked + "6\r\nhello!\r\n6\r\nhello!\r\n", limits), 413);
  EXPECT_EQ(refusal_of(chunked + "FFFFFFFFFFFFFFFF\r\n", limits), 413);
}

TEST(RequestParser, BoundsWhatAChunkSaysBesidesItsBytes) {
  const std::string chunked = std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(refusal_of(chunked + "1;" + std::string(20'000, 'x')), 431);
  EXPECT_EQ(refusal_of(chunked + "0\r\nX: " + std::string(20'000, 'x')), 431);
}

TEST(RequestParser, KnowsOneExpectation) {
  const Limits limits;
  RequestParser parser(limits);
  parser.append(std::string(kPost) + "Content-Length: 1\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_EQ(parser.parse(), Step::kHead);
  EXPECT_TRUE(parser.expects_continue());
  EXPECT_EQ(refusal_of(std::string(kPost) + "Expect: miracles\r\n\r\n"), 417);
}

}  // namespace
}  // namespace quarry::http_server
