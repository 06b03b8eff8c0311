#include "base/testing/waiting.h"
#include "services/testing/scripted_server.h"

#include <future>
#include <netdb.h>
#include <quarry_test.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::services::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

/// Answers each request of a connection with `answer(request)`.
ScriptedServer::Script answering(std::function<std::string(const std::string&)> answer) {
  return [answer](Peer& peer) {
    while (const auto request = peer.request())
      if (!peer.write(answer(*request))) return;
  };
}

ScriptedServer::Script always(std::string answer) {
  return answering([answer](const std::string&) { return answer; });
}

TEST(HttpClient, TakesHeadAndBody) {
  ScriptedServer server(
      always("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + ok("hello", "X-A: b\r\n")));
  ClientHost host;
  Received got;
  const auto outcome = host.fetch({.url = server.url("/p")}, got);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->status, 200);
  EXPECT_EQ(outcome->url, server.url("/p"));
  EXPECT_EQ(got.body, "hello");
  ASSERT_EQ(got.head.headers.size(), 2u);
  EXPECT_EQ(got.head.headers[1].name, "X-A");
  EXPECT_EQ(got.head.headers[1].value, "b");
}

TEST(HttpClient, LoadsItsLibraryAwayFromTheLoop) {
  ScriptedServer server(always(ok("hello")));
  ClientHost host;
  std::promise<void> free;
  const auto busy = free.get_future().share();
  for (int i = 0; i < 2; ++i) host.workers().submit([busy] { busy.wait(); });
  Received first, second;
  const auto handle = host.client().start({.url = server.url()}, ClientHost::into(first));
  host.client().start({.url = server.url()}, ClientHost::into(second));
  host.client().cancel(handle);
  EXPECT_EQ(first.ended.get_future().get().error().code, Code::kCancelled);
  auto ended = second.ended.get_future();
  EXPECT_NE(ended.wait_for(0s), std::future_status::ready);
  free.set_value();
  EXPECT_TRUE(ended.get());
  EXPECT_EQ(second.body, "hello");
}

TEST(HttpClient, SendsThoughEveryWorkerIsBusy) {
  ScriptedServer server(always(ok("hello")));
  ClientHost host;
  std::promise<void> free;
  const auto busy = free.get_future().share();
  for (int i = 0; i < 2; ++i) host.workers().submit([busy] { busy.wait(); });
  EXPECT_TRUE(host.client().send(Call(), {.url = server.url()}, {}));
  free.set_value();
}

TEST(HttpClient, TakesChunksAndTrailers) {
  ScriptedServer server(
      always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
             "1\r\na\r\n3\r\nbcd\r\n0\r\nX-Late: 1\r\n\r\n"));
  ClientHost host;
  Received got;
  ASSERT_TRUE(host.fetch({.url = server.url()}, got));
  EXPECT_EQ(got.body, "abcd");
  EXPECT_EQ(got.head.headers.size(), 1u);
}

TEST(HttpClient, TakesABodyThatEndsWithItsConnection) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 404 No\r\n\r\nto the end");
  });
  ClientHost host;
  Received got;
  EXPECT_EQ(host.fetch({.url = server.url()}, got)->status, 404);
  EXPECT_EQ(got.body, "to the end");
}

TEST(HttpClient, SendsMethodHeadersBodyAndSecrets) {
  std::string seen;
  ScriptedServer server(answering([&](const std::string& request) {
    seen = request;
    return ok("");
  }));
  ClientHost host;
  ASSERT_TRUE(host.fetch({.method = "POST",
                          .url = server.url("/v1"),
                          .headers = {{"Authorization", "Bearer ", "key"}, {"X-Empty", "", ""}},
                          .body = std::string("{\0}", 3)}));
  EXPECT_THAT(seen, HasSubstr("POST /v1 HTTP/1.1\r\n"));
  EXPECT_THAT(seen, HasSubstr("\r\nAuthorization: Bearer " + test_key() + "\r\n"));
  EXPECT_THAT(seen, HasSubstr("\r\nX-Empty:\r\n"));
  EXPECT_THAT(seen, Not(HasSubstr("Expect")));
  EXPECT_THAT(seen, Not(HasSubstr("Content-Type")));
  EXPECT_THAT(seen, Not(HasSubstr("Accept-Encoding")));
  EXPECT_THAT(seen, ::testing::EndsWith(std::string("\r\n\r\n{\0}", 7)));
}

TEST(HttpClient, KnowsThatAHeadHasNoBody) {
  ScriptedServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n"));
  ClientHost host;
  EXPECT_TRUE(host.fetch({.method = "HEAD", .url = server.url()}));
}

TEST(HttpClient, UndoesACompressionItAskedFor) {
  // gzip of "hello hello hello"
  static constexpr unsigned char kZipped[] = {
      0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9,
      0xc9, 0x57, 0xc8, 0x40, 0x90, 0x00, 0x80, 0x88, 0xf9, 0xe5, 0x11, 0x00, 0x00, 0x00};
  const std::string zipped(reinterpret_cast<const char*>(kZipped), sizeof kZipped);
  std::string seen;
  ScriptedServer server(answering([&](const std::string& request) {
    seen = request;
    return ok(zipped, "Content-Encoding: gzip\r\n");
  }));
  ClientHost host;
  HttpOptions options;
  options.compressed = true;
  Received got, raw;
  ASSERT_TRUE(host.fetch({.url = server.url()}, got, options));
  EXPECT_THAT(seen, HasSubstr("\r\nAccept-Encoding: "));
  EXPECT_EQ(got.body, "hello hello hello");
  ASSERT_TRUE(host.fetch({.url = server.url()}, raw));
  EXPECT_EQ(raw.body, zipped);
  Received unasked;
  ASSERT_TRUE(host.fetch({.url = server.url()}, unasked, {.decoded = true}));
  EXPECT_THAT(seen, HasSubstr("\r\nAccept-Encoding: identity\r\n"));
  EXPECT_EQ(unasked.body, "hello hello hello");
}

TEST(HttpClient, KeepsTheConnection) {
  ScriptedServer server(always(ok("x")));
  ClientHost host;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(host.fetch({.url = server.url()}));
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, FollowsRedirectsAndTellsWhereTheyLed) {
  ScriptedServer server(answering([](const std::string& request) {
    if (request.starts_with("GET /a/1 ")) return redirect(301, "2?q");
    if (request.starts_with("GET /a/2?q ")) return redirect(308, "/3");
    return ok(request.substr(0, request.find(" HTTP")));
  }));
  ClientHost host;
  Received got;
  EXPECT_EQ(host.fetch({.url = server.url("/a/1")}, got)->url, server.url("/3"));
  EXPECT_EQ(got.body, "GET /3");
}

TEST(HttpClient, RepeatsABodyUnlessTheRedirectSaysOtherwise) {
  const auto last_of = [](int status) {
    std::string seen;
    ScriptedServer server(answering([&](const std::string& request) {
      seen = request;
      return request.find(" /1 ") != request.npos ? redirect(status, "/2") : ok("");
    }));
    ClientHost host;
    EXPECT_TRUE(host.fetch({.method = "POST",
                            .url = server.url("/1"),
                            .headers = {{"Content-Type", "a/b", ""}},
                            .body = "body"}));
    return seen;
  };
  for (const int status : {301, 302, 307, 308})  // psf/requests#5494, lysine-dev/retrofit#1762
    EXPECT_THAT(last_of(status),
                AllOf(HasSubstr("POST /2 "), HasSubstr("a/b"), HasSubstr("\r\nbody")));
  EXPECT_THAT(last_of(303),
              AllOf(HasSubstr("GET /2 "), Not(HasSubstr("a/b")), Not(HasSubstr("body"))));
}

TEST(HttpClient, KeepsCredentialsFromAnotherOrigin) {
  std::string seen;
  ScriptedServer other(answering([&](const std::string& request) {
    seen = request;
    return ok("");
  }));
  ScriptedServer server(always(redirect(302, other.url())));
  ClientHost host;
  ASSERT_TRUE(host.fetch({.url = server.url(),
                          .headers = {{"X-Plain", "", "key"},
                                      {"Cookie", "c=d", ""},
                                      {"X-Api-Key", "literal", ""},
                                      {"X-Kept", "yes", ""}}}));
  EXPECT_THAT(seen, HasSubstr("X-Kept: yes"));
  for (const char* gone : {"canary", "Cookie", "literal"}) EXPECT_THAT(seen, Not(HasSubstr(gone)));
}

TEST(HttpClient, StopsAfterFiveRedirects) {
  int count = 0;
  ScriptedServer server(answering([&](const std::string&) {
    ++count;
    return redirect(302, "/");
  }));
  ClientHost host;
  const auto outcome = host.fetch({.url = server.url()});
  EXPECT_EQ(outcome.error().code, Code::kUnavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("5 redirects"));
  EXPECT_EQ(count, 6);
}

TEST(HttpClient, RefusesARedirectToAPrivateAddress) {
  for (const char* target : {"http://169.254.169.254/latest", "http://[::1]/", "//127.0.0.2/",
                             "http://0x7f000002/", "http://[::ffff:10.0.0.1]/"}) {
    ScriptedServer server(always(redirect(302, target)));
    ClientHost host;
    Received got;
    const auto outcome = host.fetch({.url = server.url()}, got);
    ASSERT_FALSE(outcome) << target;
    EXPECT_EQ(outcome.error().code, Code::kPermissionDenied) << outcome.error().message;
    EXPECT_THAT(outcome.error().message, HasSubstr("a redirect from " + server.url("")));
    EXPECT_THAT(outcome.error().hint, HasSubstr("network.private_hosts"));
    EXPECT_EQ(got.head.status, 0);
  }
  ScriptedServer server(always(redirect(302, "file:///etc/passwd")));
  ClientHost host;
  EXPECT_EQ(host.fetch({.url = server.url()}).error().code, Code::kInvalidArgument);
}

TEST(HttpClient, ConnectsToAModelEndpointOnlyForModelRequests) {
  ScriptedServer other(always(ok("other")));
  ScriptedServer server(always(ok("model")));
  ScriptedServer leads_away(always(redirect(302, other.url())));
  ClientHost host({}, {});
  host.policy() =
      EgressPolicy::make({}, {*parse_endpoint(server.url()), *parse_endpoint(leads_away.url())})
          .value();
  HttpOptions to_models;
  to_models.to_models = true;
  to_models.hosts = {"example.org"};
  EXPECT_TRUE(host.fetch({.url = server.url()}, to_models));
  EXPECT_FALSE(host.fetch({.url = server.url()})) << "not asked for a model";
  EXPECT_FALSE(host.fetch({.url = other.url()}, to_models)) << "another port";
  EXPECT_FALSE(host.fetch({.url = leads_away.url()}, to_models)) << "a redirect to another port";
  host.policy() = EgressPolicy();
  EXPECT_EQ(host.fetch({.url = server.url()}, to_models).error().code, Code::kPermissionDenied);
}

TEST(HttpClient, RefusesANameThatResolvesToAPrivateAddress) {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  addrinfo* found = nullptr;
  if (::getaddrinfo(name, "80", nullptr, &found) != 0) GTEST_SKIP() << "no name of this machine";
  const EgressPolicy none;
  const bool local = !none.check(name, *found->ai_addr);
  ::freeaddrinfo(found);
  if (!local) GTEST_SKIP() << "this machine has a public address";
  ClientHost host({}, {});
  const auto outcome = host.fetch({.url = "http://" + std::string(name) + ":1/"});
  EXPECT_EQ(outcome.error().code, Code::kPermissionDenied) << outcome.error().message;
  EXPECT_THAT(outcome.error().message, HasSubstr(name));
}

TEST(HttpClient, GoesOnlyToTheHostsOfTheOptions) {
  ScriptedServer server(always(redirect(302, "http://example.org/")));
  ClientHost host;
  HttpOptions options;
  options.hosts = {"*.example.com"};
  EXPECT_THAT(host.fetch({.url = server.url()}, options).error().message, HasSubstr("'127.0.0.1'"));
  options.hosts = {"127.0.0.1"};
  const auto redirected = host.fetch({.url = server.url()}, options);
  EXPECT_EQ(redirected.error().code, Code::kPermissionDenied);
  EXPECT_THAT(redirected.error().message, HasSubstr("'example.org'"));
}

TEST(HttpClient, SendsThroughAProxyExceptToLocalAddresses) {
  std::string seen;
  ScriptedServer proxy(answering([&](const std::string& request) {
    seen = request;
    return ok("through");
  }));
  ClientHost host({{"http_proxy", proxy.url()}}, {});
  Received got;
  ASSERT_TRUE(host.fetch({.url = "http://example.org/p"}, got));
  EXPECT_THAT(seen, HasSubstr("GET http://example.org/p HTTP/1.1"));
  EXPECT_EQ(got.body, "through");
  for (const char* url : {"http://10.0.0.1/", "http://169.254.169.254/", "http://localhost/"})
    EXPECT_EQ(host.fetch({.url = url}).error().code, Code::kPermissionDenied) << url;
}

// google-gemini/gemini-cli#4581: the site was never asked
TEST(HttpClient, NamesTheProxyThatRefusesTheConnection) {
  ClientHost host({{"http_proxy", "http://127.0.0.1:1"}}, {});
  const auto refused = host.fetch({.url = "http://example.org/p"});
  EXPECT_EQ(refused.error().message, "the proxy for http://example.org:80 refused the connection");
  EXPECT_THAT(refused.error().hint, HasSubstr("HTTP_PROXY"));
}

TEST(HttpClient, RefusesARequestThatIsNone) {
  ClientHost host;
  const auto refused = [&](HttpRequest request) {
    if (request.url.empty()) request.url = "http://127.0.0.1:1/";
    const auto outcome = host.fetch(std::move(request));
    return !outcome && outcome.error().code == Code::kInvalidArgument;
  };
  EXPECT_TRUE(refused({.url = "nonsense"}));
  EXPECT_TRUE(refused({.method = "GET / HTTP/1.1\r\nX:", .url = ""}));
  EXPECT_TRUE(refused({.url = "", .headers = {{"Host", "other", ""}}}));
  EXPECT_TRUE(refused({.url = "", .headers = {{"X", "a\r\nY: b", ""}}}));
  EXPECT_TRUE(refused({.url = "", .headers = {{"X Y", "a", ""}}}));
  EXPECT_TRUE(refused({.url = "", .headers = {{"X", "", "broken"}}}));
}

TEST(HttpClient, SaysWhichSecretIsMissing) {
  ClientHost host;
  const auto outcome =
      host.fetch({.url = "http://127.0.0.1:1/", .headers = {{"X-Key", "", "nosuch"}}});
  EXPECT_EQ(outcome.error().code, Code::kNotFound);
  EXPECT_THAT(outcome.error().message, HasSubstr("'nosuch'"));
}

TEST(HttpClient, NeverShowsASecretInAnError) {
  ScriptedServer server(always(redirect(302, "http://" + test_key() + ".example.org:99999/")));
  ClientHost host;
  HttpOptions options;
  options.hosts = {"127.0.0.1"};
  const auto outcome =
      host.fetch({.url = server.url(), .headers = {{"X-Key", "", "key"}}}, options);
  EXPECT_THAT(outcome.error().message + outcome.error().hint, Not(HasSubstr(test_key())));
  ScriptedServer second(always(redirect(302, "http://" + test_key() + ".example.org/")));
  const auto named = host.fetch({.url = second.url(), .headers = {{"X-Key", "", "key"}}}, options);
  EXPECT_THAT(named.error().message, HasSubstr("[secret key]"));
  EXPECT_THAT(named.error().facts, HasSubstr("[secret key].example.org"));
}

/// A port of 127.0.0.1 without a listener, or (full) with one that never accepts.
struct DeadPort {
  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::vector<int> fillers;
  sockaddr_in address{};

  explicit DeadPort(bool full) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener, any, size), 0);
    ::getsockname(listener, any, &size);
    if (!full) return;
    ::listen(listener, 0);
    for (int i = 0; i < 4; ++i) {
      fillers.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      ::connect(fillers.back(), any, size);
    }
  }
  ~DeadPort() {
    ::close(listener);
    for (const int filler : fillers) ::close(filler);
  }
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
  }
};

TEST(HttpClient, TellsARefusedConnection) {
  const DeadPort port(false);
  ClientHost host;
  const auto outcome = host.fetch({.url = port.url()});
  EXPECT_EQ(outcome.error().code, Code::kUnavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("refused"));
  EXPECT_FALSE(outcome.error().hint.empty());
}

TEST(HttpClient, TellsANameThatDoesNotResolve) {
  ClientHost host;
  // A label this long is rejected before any name server is queried.
  const auto outcome = host.fetch({.url = "http://" + std::string(64, 'a') + ".invalid/"});
  EXPECT_EQ(outcome.error().code, Code::kUnavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("could not be resolved"));
}

TEST(HttpClient, TellsAConnectionThatIsNeverMade) {
  const DeadPort port(true);
  ClientHost host;
  HttpOptions options;
  options.connect = 60ms;
  const auto outcome = host.fetch({.url = port.url()}, options);
  EXPECT_EQ(outcome.error().code, Code::kUnavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("within 60 ms"));
}

std::string sent_nothing_for(std::chrono::milliseconds limit) {
  return "sent nothing for " + std::to_string(limit.count()) + " ms";
}

TEST(HttpClient, TakesNoAnswerForNoConnection) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.wait_until_closed();
  });
  ClientHost host;
  EXPECT_TRUE(succeeds_with_some_limit(50ms, [&](std::chrono::milliseconds limit) {
    const auto outcome = host.fetch({.url = server.url()}, {.connect = limit, .idle = 2 * limit});
    return outcome.error().code == Code::kDeadlineExceeded &&
           outcome.error().message.find(sent_nothing_for(2 * limit)) != std::string::npos;
  }));
}

TEST(HttpClient, TellsAServerThatFallsSilent) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    peer.wait_until_closed();
  });
  ClientHost host;
  EXPECT_TRUE(succeeds_with_some_limit(50ms, [&](std::chrono::milliseconds limit) {
    Received got;
    const auto outcome = host.fetch({.url = server.url()}, got, {.idle = limit});
    EXPECT_EQ(outcome.error().code, Code::kDeadlineExceeded);
    EXPECT_THAT(outcome.error().message, HasSubstr(sent_nothing_for(limit)));
    return got.body == "abc";
  }));
}

TEST(HttpClient, GivesUpAServerThatIsSlowerThanTheMinimum) {
  for (const char* begins : {"", "HTTP/1.1 200 OK\r\nX-Slow", "HTTP/1.1 200 OK\r\n\r\na"}) {
    ScriptedServer server([&](Peer& peer) {
      peer.request();
      peer.write(begins);
      peer.wait_until_closed();
    });
    ClientHost host;
    HttpOptions options;
    options.minimum_speed = {1000, 200ms};
    const auto outcome = host.fetch({.url = server.url()}, options);
    ASSERT_FALSE(outcome) << begins;
    EXPECT_EQ(outcome.error().code, Code::kDeadlineExceeded) << begins;
    EXPECT_THAT(outcome.error().message, HasSubstr("was slower than 1 kB/s for 200 ms"));
  }
}

TEST(HttpClient, CountsABodyThatItSentOnceForTheMinimumSpeed) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\n\r\na");
    peer.wait_until_closed();
  });
  ClientHost host;
  HttpOptions options;
  options.minimum_speed = {1000, 200ms};
  const auto outcome = host.fetch(
      {.method = "POST", .url = server.url(), .body = std::string(10'000, 'x')}, options);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("was slower than 1 kB/s for 200 ms"));
}

TEST(HttpClient, ExemptsModelsFromTheMinimumSpeed) {
  std::atomic<bool> asked = false;
  ScriptedServer server([&](Peer& peer) {
    peer.request();
    asked = true;
    peer.wait_until_closed();
  });
  ClientHost host({}, {});
  host.policy() = EgressPolicy::make({}, {*parse_endpoint(server.url())}).value();
  HttpOptions options;
  options.to_models = true;
  options.minimum_speed = {1'000'000'000, 1ms};
  EXPECT_TRUE(succeeds_with_some_limit(50ms, [&](std::chrono::milliseconds limit) {
    options.idle = limit;
    const auto outcome = host.fetch({.url = server.url()}, options);
    EXPECT_THAT(outcome.error().message, HasSubstr(sent_nothing_for(limit)));
    return asked.load();
  }));
}

TEST(HttpClient, TellsAResponseWithoutEnd) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.write("x")) continue;
  });
  ClientHost host;
  HttpOptions options;
  options.total = 60ms;
  const auto outcome = host.fetch({.url = server.url()}, options);
  EXPECT_EQ(outcome.error().code, Code::kDeadlineExceeded);
  EXPECT_THAT(outcome.error().message, HasSubstr("longer than 60 ms"));
}

TEST(HttpClient, TellsACutInTheMiddle) {
  const std::string starts[] = {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc"};
  for (const std::string& start : starts) {
    ScriptedServer server([&](Peer& peer) {
      peer.request();
      peer.write(start);
    });
    ClientHost host;
    Received got;
    const auto outcome = host.fetch({.url = server.url()}, got);
    EXPECT_EQ(outcome.error().code, Code::kUnavailable);
    EXPECT_THAT(outcome.error().message, HasSubstr("broke after 3 bytes"));
    EXPECT_EQ(got.body, "abc");
  }
}

TEST(HttpClient, TellsAServerThatDoesNotAnswer) {
  ScriptedServer silent([](Peer& peer) { peer.request(); });
  ScriptedServer crashed([](Peer& peer) {
    peer.request();
    peer.reset();
  });
  ScriptedServer other([](Peer& peer) { peer.write("SSH-2.0-OpenSSH\r\n\r\n"); });
  ClientHost host;
  EXPECT_THAT(host.fetch({.url = silent.url()}).error().message, HasSubstr("without a response"));
  EXPECT_THAT(host.fetch({.url = crashed.url()}).error().message, HasSubstr("without a response"));
  EXPECT_THAT(host.fetch({.url = other.url()}).error().message,
              HasSubstr("did not send an HTTP response"));
}

TEST(HttpClient, TellsAResponseThatIsTooLarge) {
  ScriptedServer announced(always(ok(std::string(101, 'x'))));
  ScriptedServer streamed([](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.write(std::string(1000, 'x'))) continue;
  });
  ClientHost host;
  HttpOptions options;
  options.max_bytes = 100;
  Received got;
  EXPECT_EQ(host.fetch({.url = announced.url()}, got, options).error().code,
            Code::kResourceExhausted);
  EXPECT_EQ(got.head.status, 0);
  EXPECT_EQ(host.fetch({.url = streamed.url()}, options).error().code, Code::kResourceExhausted);
}

}  // namespace
}  // namespace quarry::services::testing
