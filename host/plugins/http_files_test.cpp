#include "plugins/http_files.h"

#include "services/testing/scripted_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

using services::testing::ClientHost;
using services::testing::ok;
using services::testing::Peer;
using services::testing::redirect;
using services::testing::ScriptedServer;
using ::testing::HasSubstr;

/// Outcome of one request for a file.
struct Got {
  Result<WebResponse> response;
  std::string bytes;
};

Got get_file(ClientHost& host, WebRequest request, const services::Call& call = {}) {
  std::string bytes;
  if (request.limit == 0) request.limit = 1000;
  auto response = HttpFiles(host.client()).get(call, request, [&](std::string_view some) -> Status {
    bytes += some;
    return {};
  });
  return {std::move(response), std::move(bytes)};
}

std::string status_line(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Length: 4\r\n\r\nbody";
}

TEST(HttpFiles, WritesTheFileAndKnowsItsEtag) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write(ok("hello", "ETag: \"1\"\r\n"));
  });
  ClientHost host;
  const auto got = get_file(host, {.url = server.url()});
  ASSERT_TRUE(got.response) << got.response.error().message;
  EXPECT_EQ(got.bytes, "hello");
  EXPECT_EQ(got.response->etag, "\"1\"");
  EXPECT_FALSE(got.response->unchanged);
}

TEST(HttpFiles, AsksWhetherItsCopyIsCurrent) {
  std::promise<std::string> asked;
  ScriptedServer server([&](Peer& peer) {
    asked.set_value(*peer.request());
    peer.write("HTTP/1.1 304 Not Modified\r\n\r\n");
  });
  ClientHost host;
  const auto got = get_file(host, {.url = server.url(), .etag = "\"1\""});
  ASSERT_TRUE(got.response) << got.response.error().message;
  EXPECT_TRUE(got.response->unchanged);
  EXPECT_EQ(got.bytes, "");
  EXPECT_THAT(asked.get_future().get(), HasSubstr("If-None-Match: \"1\"\r\n"));
}

TEST(HttpFiles, TellsStatusesApart) {
  for (const auto& [status, code] : {std::pair{404, Code::kNotFound},
                                     {410, Code::kNotFound},
                                     {401, Code::kPermissionDenied},
                                     {403, Code::kPermissionDenied},
                                     {500, Code::kUnavailable},
                                     {503, Code::kUnavailable},
                                     {304, Code::kUnavailable},
                                     {206, Code::kUnavailable},
                                     {302, Code::kUnavailable}}) {
    ScriptedServer server([status = status](Peer& peer) {
      peer.request();
      peer.write(status == 304 ? "HTTP/1.1 304 x\r\n\r\n" : status_line(status));
    });
    ClientHost host;
    const auto got = get_file(host, {.url = server.url()});
    ASSERT_FALSE(got.response) << status;
    EXPECT_EQ(got.response.error().code, code) << status;
    EXPECT_EQ(got.bytes, "") << "the body of an error is no part of the file";
  }
}

TEST(HttpFiles, FollowsRedirectsThatStaySafe) {
  ScriptedServer server([](Peer& peer) {
    while (const auto request = peer.request()) {
      peer.write(request->starts_with("GET /a ") ? redirect(302, "b") : ok("hello"));
    }
  });
  ClientHost host;
  EXPECT_EQ(get_file(host, {.url = server.url("/a")}).bytes, "hello");
}

TEST(HttpFiles, FollowsNoRedirectToPlainHttp) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write(redirect(302, "http://plugins.example/x"));
  });
  ClientHost host;
  const auto got = get_file(host, {.url = server.url()});
  ASSERT_FALSE(got.response);
  EXPECT_EQ(got.response.error().code, Code::kPermissionDenied);
  EXPECT_THAT(got.response.error().message, HasSubstr("http://plugins.example/x"));
}

TEST(HttpFiles, GivesUpACircleOfRedirects) {
  ScriptedServer server([](Peer& peer) {
    while (peer.request()) peer.write(redirect(301, "/again"));
  });
  ClientHost host;
  const auto got = get_file(host, {.url = server.url()});
  ASSERT_FALSE(got.response);
  EXPECT_THAT(got.response.error().message, HasSubstr("more than 5 redirects"));
}

TEST(HttpFiles, SendsNothingToAnAddressThatIsNotSafe) {
  ClientHost host;
  for (const auto* url : {"http://plugins.example/x", "file:///etc/passwd", ""}) {
    const auto got = get_file(host, {.url = url});
    ASSERT_FALSE(got.response) << url;
    EXPECT_EQ(got.response.error().code, Code::kPermissionDenied) << url;
  }
}

TEST(HttpFiles, EndsAtTheLimitOfBytes) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.write(std::string(1000, 'x'))) {
    }
  });
  ClientHost host;
  const auto got = get_file(host, {.url = server.url(), .limit = 5000});
  ASSERT_FALSE(got.response);
  EXPECT_EQ(got.response.error().code, Code::kResourceExhausted);
  EXPECT_LE(got.bytes.size(), 5000u);
}

TEST(HttpFiles, EndsAtTheTimeLimitAndWithTheCall) {
  ScriptedServer silent([](Peer& peer) {
    peer.request();
    peer.wait_until_closed();
  });
  ClientHost host;
  const auto late = get_file(host, {.url = silent.url(), .total = std::chrono::milliseconds(50)});
  ASSERT_FALSE(late.response);
  EXPECT_EQ(late.response.error().code, Code::kDeadlineExceeded);
  const auto stopped =
      get_file(host, {.url = silent.url()}, {.state = [] { return Code::kCancelled; }});
  ASSERT_FALSE(stopped.response);
  EXPECT_EQ(stopped.response.error().code, Code::kCancelled);
}

TEST(HttpFiles, EndsWithTheWritersFailure) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write(ok("hello"));
  });
  ClientHost host;
  const auto got =
      HttpFiles(host.client())
          .get({}, {.url = server.url(), .limit = 100}, [](std::string_view) -> Status {
            return Error(Code::kResourceExhausted, "the disk is full");
          });
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr("the disk is full"));
}

}  // namespace
}  // namespace quarry::plugins
