#include <quarry/testing_host.hpp>
#include <quarry/testing_http.hpp>

namespace {

using quarry::testing::FakeCall;
using quarry::testing::FakeHost;
using quarry::testing::FakeHttp;
using quarry::testing::FakeSecrets;
using quarry::testing::Reply;

class Fetch : public ::testing::Test {
 protected:
  quarry::Outcome<quarry::HttpResponse> fetch(std::size_t most = 100) {
    host_.offer(QUARRY_HTTP, http_.get());
    return quarry::fetch(quarry::Host(host_.get()), quarry::Call(call_.get()),
                         {"GET", "https://a.example/x", {{"key", "Bearer ", "KEY"}}, {}}, most);
  }

  FakeHost host_;
  FakeHttp http_;
  FakeCall call_;
};

TEST_F(Fetch, AnswersAWholeResponseWhateverItsStatus) {
  http_.response = {404, {{"Content-Type", "text/plain", {}}}, "nothing here"};
  const auto response = fetch();
  ASSERT_TRUE(response) << response.failure().message;
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "nothing here");
  EXPECT_EQ(quarry::header(response->headers, "content-type"), "text/plain");
  ASSERT_EQ(http_.requests.size(), 1u);
  EXPECT_EQ(http_.requests[0].url, "https://a.example/x");
  EXPECT_EQ(http_.requests[0].headers[0].secret, "KEY");
}

TEST_F(Fetch, AnswersWhatTheTestHasForItsUrl) {
  http_.responses["https://a.example/x"] = {201, {}, "mine"};
  http_.responses["https://a.example/y"] = {202, {}, "another's"};
  const auto response = fetch();
  ASSERT_TRUE(response) << response.failure().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "mine");
}

TEST_F(Fetch, AnswersWhyThereIsNoResponse) {
  http_.failure = {QUARRY_UNAVAILABLE, "connection refused", "start it", {}};
  const auto response = fetch();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.failure().status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(response.failure().message, "connection refused");
  EXPECT_EQ(response.failure().hint, "start it");
}

TEST_F(Fetch, TakesNoMoreThanItMay) {
  http_.response.body = "12345";
  EXPECT_TRUE(fetch(5));
  const auto response = fetch(4);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.failure().status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_EQ(response.failure().message, "https://a.example/x sent more than 4 bytes");
}

TEST_F(Fetch, MayEndBetweenThePiecesOfABody) {
  http_.response.body = "123456";
  http_.piece = 2;
  const auto whole = fetch();
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body, "123456");
  call_.cancel_after(2);
  std::string taken;
  const auto end = quarry::fetch_to(
      quarry::Host(host_.get()), quarry::Call(call_.get()), {"GET", "https://a.example/x", {}, {}},
      [](int, const auto&) { return true; },
      [&](std::string_view bytes) {
        taken += bytes;
        return true;
      });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.failure().status, QUARRY_CANCELLED);
  EXPECT_EQ(taken, "1234");
}

TEST_F(Fetch, AnswersByMethodAndHeaders) {
  http_.answer = [](const quarry::HttpRequest& request) -> quarry::Outcome<quarry::HttpResponse> {
    if (request.method == "HEAD") return quarry::HttpResponse{200, {{"etag", "1", {}}}, "body"};
    if (request.timeout == std::chrono::seconds(3) && request.max_redirects == 1) {
      return quarry::HttpResponse{304, {}, {}};
    }
    return quarry::Failure{QUARRY_UNAVAILABLE, "refused", {}, {}};
  };
  host_.offer(QUARRY_HTTP, http_.get());
  const std::string url = "https://a.example/x";
  const auto all = quarry::fetch_all(quarry::Host(host_.get()), quarry::Call(call_.get()),
                                     {{"HEAD", url, {}, {}},
                                      {"GET", url, {}, {}, std::chrono::seconds(3), 1},
                                      {"GET", url, {}, {}}});
  ASSERT_TRUE(all) << all.failure().message;
  EXPECT_EQ(quarry::header((*all)[0]->headers, "etag"), "1");
  EXPECT_EQ((*all)[0]->body, "");
  EXPECT_EQ((*all)[1]->status, 304);
  EXPECT_EQ((*all)[2].failure().message, "refused");
}

TEST_F(Fetch, OfManyFailsAsAWholeWhenTheCallIsOver) {
  http_.response.body = "body";
  host_.offer(QUARRY_HTTP, http_.get());
  call_.cancel_after(1, QUARRY_DEADLINE_EXCEEDED);
  const quarry::HttpRequest request{"GET", "https://a.example/x", {}, {}};
  const auto all = quarry::fetch_all(quarry::Host(host_.get()), quarry::Call(call_.get()),
                                     {request, request, request});
  ASSERT_FALSE(all);
  EXPECT_EQ(all.failure().status, QUARRY_DEADLINE_EXCEEDED);
  EXPECT_EQ(http_.requests.size(), 2u);
}

TEST_F(Fetch, OfManyNeedsNoSink) {
  const quarry::HttpRequest request{"GET", "https://a.example/x", {}, {}};
  const quarry::detail::HttpRequestView view(request);
  const auto* const asked = view.get();
  const quarry_http_sink* const none = nullptr;
  Reply reply;
  http_.get()->send_all(http_.get(), call_.get(), 1, &asked, &none, reply.get());
  EXPECT_EQ(reply.value(), R"({"responses":[{"status":200,"url":"https://a.example/x"}]})");
}

TEST(FetchWithoutHttp, SaysThatTheHostHasNone) {
  const FakeHost host;
  const FakeCall call;
  const auto response = quarry::fetch(quarry::Host(host.get()), quarry::Call(call.get()), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.failure().status, QUARRY_UNSUPPORTED);
}

class KitHttp : public ::testing::Test {
 protected:
  KitHttp() { host_.offer(QUARRY_HTTP, http_.get()); }

  quarry::Outcome<quarry::HttpResponse> send(quarry::HttpRequest request) {
    return quarry::fetch(quarry::Host(host_.get()), quarry::Call(call_.get()), request);
  }
  quarry::Outcome<quarry::HttpResponse> get(const std::string& url, int max_redirects = 0) {
    return send({"GET", url, {}, {}, {}, max_redirects});
  }
  void lead(const std::string& from, const std::string& to, int status = 302) {
    http_.responses[from] = {status, {{"Location", to, {}}}, "moved"};
  }
  /// Redirects of https://a.example/0 to /1, and so on, up to `count`.
  void lead_many(int count) {
    for (int i = 0; i < count; ++i) {
      lead("https://a.example/" + std::to_string(i), "/" + std::to_string(i + 1));
    }
  }

  FakeHost host_;
  FakeHttp http_;
  FakeCall call_;
};

TEST_F(KitHttp, FollowsRedirects) {
  http_.response.body = "here";
  const std::pair<const char*, const char*> places[] = {
      {"/x", "https://a.example/x"},
      {"x", "https://a.example/d/x"},
      {"../x?q#f", "https://a.example/x?q"},
      {"./x/.", "https://a.example/d/x/"},
      {"?q=a://b", "https://a.example/d/f?q=a://b"},
      {"//b.example:8080/x", "https://b.example:8080/x"},
      {"http://c.example", "http://c.example/"}};
  for (const auto& [location, url] : places) {
    lead("https://a.example/d/f", location);
    const auto response = get("https://a.example/d/f");
    ASSERT_TRUE(response) << response.failure().message;
    EXPECT_EQ(response->url, url);
    EXPECT_EQ(response->body, "here");
    EXPECT_EQ(http_.requests.back().url, url);
  }
}

TEST_F(KitHttp, FollowsFiveRedirectsUnlessARequestSaysOtherwise) {
  lead_many(5);
  EXPECT_TRUE(get("https://a.example/0"));
  EXPECT_EQ(http_.requests.size(), 6u);
  lead_many(6);
  const auto lost = get("https://a.example/0");
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.failure().status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(lost.failure().message, "more than 5 redirects, the last from https://a.example:443");
  EXPECT_EQ(get("https://a.example/0", 6)->status, 200);
}

TEST_F(KitHttp, MakesTheNextRedirectTheResponse) {
  lead_many(30);
  const auto first = get("https://a.example/0", -1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 302);
  EXPECT_EQ(first->body, "moved");
  EXPECT_EQ(first->url, "https://a.example/0");
  EXPECT_EQ(get("https://a.example/0", 2)->url, "https://a.example/2");
  EXPECT_EQ(get("https://a.example/0", 100)->url, "https://a.example/20");
}

TEST_F(KitHttp, KeepsCredentialsFromOtherOrigins) {
  const std::vector<quarry::HttpHeader> headers{
      {"Authorization", "Bearer x", {}}, {"X-Mine", "", "KEY"}, {"accept", "text/plain", {}}};
  lead("https://a.example/0", "/1");
  lead("https://a.example/1", "https://a.example:444/2");
  ASSERT_TRUE(send({"GET", "https://a.example/0", headers, {}}));
  ASSERT_EQ(http_.requests.size(), 3u);
  EXPECT_EQ(http_.requests[1].headers.size(), 3u) << "the same origin";
  ASSERT_EQ(http_.requests[2].headers.size(), 1u);
  EXPECT_EQ(http_.requests[2].headers[0].name, "accept");
}

TEST_F(KitHttp, ChangesTheMethodAsABrowserDoes) {
  const auto second = [&](const char* method, int status) {
    http_.requests.clear();
    lead("https://a.example/0", "/1", status);
    EXPECT_TRUE(
        send({method, "https://a.example/0", {{"Content-Type", "text/plain", {}}}, "body"}));
    return http_.requests.back();
  };
  for (const int status : {301, 302, 303}) {
    EXPECT_EQ(second("POST", status).method, "GET") << status;
    EXPECT_EQ(http_.requests.back().body, "");
    EXPECT_TRUE(http_.requests.back().headers.empty());
  }
  EXPECT_EQ(second("POST", 307).method, "POST");
  EXPECT_EQ(http_.requests.back().body, "body");
  EXPECT_EQ(second("PUT", 302).method, "PUT");
  EXPECT_EQ(second("PUT", 303).method, "GET");
  EXPECT_EQ(second("HEAD", 303).method, "HEAD");
}

TEST_F(KitHttp, CutsAResponseInTheMiddle) {
  http_.responses["https://a.example/x"] = {200, {}, "123456"};
  http_.cut["https://a.example/x"] = 4;
  http_.piece = 3;
  std::string taken;
  const auto end = quarry::fetch_to(
      quarry::Host(host_.get()), quarry::Call(call_.get()), {"GET", "https://a.example/x", {}, {}},
      [](int status, const auto&) { return status == 200; },
      [&](std::string_view bytes) {
        taken += bytes;
        return true;
      });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.failure().status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(end.failure().message,
            "the connection to https://a.example:443 broke after 4 bytes of the response");
  EXPECT_EQ(taken, "1234");
  EXPECT_TRUE(get("https://a.example/y"));
}

TEST_F(KitHttp, ReachesTheHostsOfTheManifestOnly) {
  http_.hosts = {"a.example", "*.b.example"};
  for (const char* url : {"https://a.example/x", "http://A.Example.:80/", "https://x.b.example"}) {
    EXPECT_TRUE(get(url)) << url;
  }
  for (const char* host : {"b.example", "a.example.org", "xb.example"}) {
    const auto response = get("https://" + std::string(host) + "/x");
    ASSERT_FALSE(response) << host;
    EXPECT_EQ(response.failure().status, QUARRY_PERMISSION_DENIED);
    EXPECT_EQ(response.failure().message,
              "the manifest does not list the host '" + std::string(host) + "'");
  }
  EXPECT_EQ(http_.requests.size(), 3u);
  http_.hosts = {"*"};
  EXPECT_TRUE(get("https://[::1]/"));
}

TEST_F(KitHttp, RefusesARedirectToAnotherHost) {
  http_.hosts = {"a.example"};
  lead("https://a.example/x", "https://b.example/x");
  const auto response = get("https://a.example/x");
  ASSERT_FALSE(response);
  EXPECT_EQ(response.failure().status, QUARRY_PERMISSION_DENIED);
  EXPECT_EQ(response.failure().message,
            "a redirect from https://a.example:443: the manifest does not list the host "
            "'b.example'");
}

TEST_F(KitHttp, PermitsTheHostsOfTheManifestOnly) {
  http_.hosts = {"a.example"};
  const auto permit = [&](std::string_view url) {
    return quarry::permit(quarry::Host(host_.get()), quarry::Call(call_.get()), url);
  };
  EXPECT_TRUE(permit("ssh://a.example:2222/x"));
  EXPECT_EQ(permit("https://b.example").failure().status, QUARRY_PERMISSION_DENIED);
  EXPECT_EQ(permit("a.example").failure().status, QUARRY_INVALID_ARGUMENT);
}

TEST_F(KitHttp, RefusesRequestsThatTheHostRefuses) {
  const std::string url = "https://a.example/x";
  for (const quarry::HttpRequest& request :
       {quarry::HttpRequest{"GET", "/x", {}, {}}, quarry::HttpRequest{"GET", "https://", {}, {}},
        quarry::HttpRequest{"GET", "ftp://a.example/x", {}, {}},
        quarry::HttpRequest{"GET", "https://user@a.example/x", {}, {}},
        quarry::HttpRequest{"GET", "https://a.example/a b", {}, {}},
        quarry::HttpRequest{"", url, {}, {}}, quarry::HttpRequest{"GET /", url, {}, {}},
        quarry::HttpRequest{"GET", url, {{"Host", "b.example", {}}}, {}},
        quarry::HttpRequest{"GET", url, {{"a:b", "c", {}}}, {}},
        quarry::HttpRequest{"GET", url, {{"a", "b\r\nc: d", {}}}, {}}}) {
    const auto response = send(request);
    ASSERT_FALSE(response) << request.method << ' ' << request.url;
    EXPECT_EQ(response.failure().status, QUARRY_INVALID_ARGUMENT) << response.failure().message;
  }
  EXPECT_TRUE(http_.requests.empty());
}

TEST_F(KitHttp, KnowsTheSecretsOfTheTest) {
  FakeSecrets secrets;
  secrets.values["resource.mine.token"] = "s3cret";
  http_.secrets = &secrets;
  const auto ask = [&](const char* name) {
    return send({"GET", "https://a.example/x", {{"authorization", "Bearer ", name}}, {}});
  };
  EXPECT_TRUE(ask("resource.mine.token"));
  const auto refused = ask("field:/token");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.failure().message, "the manifest does not list the secret 'field:/token'");
}

TEST_F(KitHttp, NeedsACall) {
  const quarry::HttpRequest request{"GET", "https://a.example/x", {}, {}};
  const quarry::detail::HttpRequestView view(request);
  Reply reply;
  http_.get()->send(http_.get(), nullptr, view.get(), nullptr, reply.get());
  EXPECT_EQ(reply.failure().message, "the call is missing, or is none of this host's");
}

TEST_F(KitHttp, SendsAtMostAThousandRequestsAtOnce) {
  const std::vector<quarry::HttpRequest> many(1001, {"GET", "https://a.example/x", {}, {}});
  const auto all = quarry::fetch_all(quarry::Host(host_.get()), quarry::Call(call_.get()), many);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.failure().message, "1001 requests at once, more than 1000");
}

}  // namespace
