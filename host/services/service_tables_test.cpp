#include "services/service_tables.h"

#include "base/testing/fake_clock.h"
#include "base/testing/waiting.h"
#include "services/call_table.h"
#include "services/log_scope.h"
#include "services/testing/scripted_server.h"

#include <quarry/outcome.hpp>
#include <quarry/services.h>

#include <barrier>
#include <future>
#include <quarry_test.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::services {
namespace {

struct Reply {
  quarry_status status = -1;
  std::string value;
  std::string hint;
  std::string details;
  quarry_reply slot{sizeof slot, this,
                    [](const quarry_reply* self, quarry_text json) {
                      auto& mine = *static_cast<Reply*>(self->context);
                      mine.status = QUARRY_OK;
                      mine.value.assign(json.data, json.size);
                    },
                    [](const quarry_reply* self, const quarry_failure* failure) {
                      auto& mine = *static_cast<Reply*>(self->context);
                      mine.status = failure->status;
                      mine.hint = as_view(failure->hint);
                      mine.details = as_view(failure->details);
                    }};
};

struct ServiceTablesTest : ::testing::Test {
  const std::filesystem::path root = test_directory();
  const std::string key = "\"" + test_key();
  FakeClock clock;
  Redactor redactor;
  std::string lines;
  Log log{{Level::kDebug, LogFormat::kText, [this](std::string_view line) { lines += line; }},
          redactor};
  Metrics metrics;
  Paths paths{{root / "c", root / "d", root / "s"}};
  ProcessRunner processes{"/usr/bin:/bin", "/"};
  SecretStore secrets{{{"key", {SecretSource::From::kEnvironment, {"KEY"}}}},
                      [this](const char*) { return key.c_str(); },
                      processes,
                      redactor};
  WorkerPool workers{1};
  ServiceTables tables{
      "org.a", {{}, {"echo"}, {"key"}}, {clock, log, metrics, paths, processes, secrets, workers}};
  const Call endless;
  const Call ended{.state = [] { return Code::kCancelled; }};
  const CallRights none;
  const CallTable wanted{endless, none};
  const CallTable cancelled{ended, none};

  template <class Table>
  const Table* find(const char* id) {
    return static_cast<const Table*>(tables.find(id));
  }
};

TEST_F(ServiceTablesTest, LogUnderThePluginsName) {
  const auto* table = find<quarry_log_v1>(QUARRY_LOG);
  table->write(table, QUARRY_LOG_WARNING, as_text("hello"));
  EXPECT_THAT(lines, ::testing::HasSubstr("warning org.a: hello"));
  EXPECT_EQ(table->enabled(table, QUARRY_LOG_DEBUG), 1);
}

TEST_F(ServiceTablesTest, TellTheHostsTimeAndEndASleepWithItsCall) {
  const auto* table = find<quarry_clock_v1>(QUARRY_CLOCK);
  const auto before = table->steady_ns(table);
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(table->steady_ns(table) - before, 2'000'000'000);
  EXPECT_EQ(table->wall_ms(table), 1'735'689'602'000);
  EXPECT_EQ(table->sleep(table, cancelled.get(), 1'000'000), QUARRY_CANCELLED);
  EXPECT_EQ(table->sleep(table, wanted.get(), 0), QUARRY_OK);
  EXPECT_EQ(table->sleep(table, nullptr, 0), QUARRY_INVALID_ARGUMENT);
}

TEST_F(ServiceTablesTest, GiveThePluginItsOwnDirectories) {
  const auto* table = find<quarry_paths_v1>(QUARRY_PATHS);
  const quarry_text cache = table->cache(table);
  EXPECT_EQ(std::string(cache.data, cache.size), root / "c/plugins/org.a");
  EXPECT_EQ(table->cache(table).data, cache.data);
  EXPECT_TRUE(std::filesystem::is_directory(std::string(table->data(table).data)));
}

TEST_F(ServiceTablesTest, GiveOnlyTheSecretsOfTheManifest) {
  const auto* table = find<quarry_secrets_v1>(QUARRY_SECRETS);
  Reply listed, unlisted;
  table->get(table, wanted.get(), as_text("key"), &listed.slot);
  table->get(table, wanted.get(), as_text("other"), &unlisted.slot);
  EXPECT_EQ(listed.value, "\"\\" + key + "\"");
  EXPECT_EQ(unlisted.status, QUARRY_PERMISSION_DENIED);
}

TEST_F(ServiceTablesTest, HideWhatAPluginFoundByItself) {
  const auto* table = find<quarry_secrets_v1>(QUARRY_SECRETS);
  const std::string secret = test_key();
  table->hide(table, as_text(secret));
  EXPECT_EQ(redactor.redact("sent " + secret), "sent [secret org.a]");
}

TEST_F(ServiceTablesTest, GiveTheSecretsOfTheCallAndThoseOfNoOther) {
  secrets.update({{"resource.a.token", {SecretSource::From::kEnvironment, {"KEY"}}},
                  {"resource.b.token", {SecretSource::From::kEnvironment, {"KEY"}}}});
  const ServiceTables given("org.r", {}, {clock, log, metrics, paths, processes, secrets, workers});
  const auto* table = static_cast<const quarry_secrets_v1*>(given.find(QUARRY_SECRETS));
  const CallRights rights{.secrets = {"resource.a.token"}, .hosts = {}};
  const CallTable about_a(endless, rights);
  const auto status = [&](const quarry_call* call, std::string_view name) {
    Reply reply;
    table->get(table, call, as_text(name), &reply.slot);
    return reply.status;
  };
  EXPECT_EQ(status(about_a.get(), "resource.a.token"), QUARRY_OK);
  EXPECT_EQ(status(about_a.get(), "resource.b.token"), QUARRY_PERMISSION_DENIED);
  EXPECT_EQ(status(wanted.get(), "resource.a.token"), QUARRY_PERMISSION_DENIED);
}

TEST_F(ServiceTablesTest, RefuseACallThatTheHostDidNotMake) {
  const quarry_call forged{sizeof forged, const_cast<CallTable*>(&wanted),
                           [](const quarry_call*) { return QUARRY_OK; }, nullptr, nullptr};
  const auto* secret = find<quarry_secrets_v1>(QUARRY_SECRETS);
  const auto* process = find<quarry_process_v1>(QUARRY_PROCESS);
  for (const quarry_call* call : {&forged, static_cast<const quarry_call*>(nullptr)}) {
    Reply read, ran;
    secret->get(secret, call, as_text("key"), &read.slot);
    process->run(process, call, nullptr, nullptr, &ran.slot);
    EXPECT_EQ(read.status, QUARRY_INVALID_ARGUMENT);
    EXPECT_EQ(ran.status, QUARRY_INVALID_ARGUMENT);
  }
}

TEST_F(ServiceTablesTest, RunOnlyTheProgramsOfTheManifest) {
  const auto* table = find<quarry_process_v1>(QUARRY_PROCESS);
  const quarry_text word = as_text("hi");
  quarry_process_spec spec{};
  spec.program = as_text("echo");
  spec.argument_count = 1;
  spec.arguments = &word;
  std::string out;
  quarry_process_sink sink{
      sizeof sink, &out,
      [](const quarry_process_sink* self, quarry_text bytes) {
        static_cast<std::string*>(self->context)->append(bytes.data, bytes.size);
        return QUARRY_OK;
      },
      nullptr};
  Reply ran, refused, over;
  table->run(table, wanted.get(), &spec, &sink, &ran.slot);
  EXPECT_EQ(ran.value, R"({"exit":0})");
  EXPECT_EQ(out, "hi\n");
  table->run(table, cancelled.get(), &spec, &sink, &over.slot);
  EXPECT_EQ(over.status, QUARRY_CANCELLED);
  spec.program = as_text("sh");
  table->run(table, wanted.get(), &spec, &sink, &refused.slot);
  EXPECT_EQ(refused.status, QUARRY_PERMISSION_DENIED);
}

TEST_F(ServiceTablesTest, RunJobsAndLoopsUntilShutdown) {
  const auto* table = find<quarry_work_v1>(QUARRY_WORK);
  std::promise<void> ran;
  const auto job = [](void* promise) { static_cast<std::promise<void>*>(promise)->set_value(); };
  ASSERT_EQ(table->submit(table, job, &ran), QUARRY_OK);
  ran.get_future().wait();
  bool looped = false;
  auto* loop = table->start_loop(
      table, "loop", [](void* flag) { *static_cast<bool*>(flag) = true; }, &looped);
  table->join_loop(loop);
  EXPECT_TRUE(looped);
  EXPECT_EQ(table->concurrency(table), 1u);
  workers.shutdown();
  EXPECT_EQ(table->submit(table, job, &ran), QUARRY_UNAVAILABLE);
}

TEST_F(ServiceTablesTest, LogWhatAJobSaysUnderTheIdsOfItsCall) {
  const auto* table = find<quarry_work_v1>(QUARRY_WORK);
  struct Job {
    const quarry_log_v1* log;
    std::promise<void> ran;
  } job{find<quarry_log_v1>(QUARRY_LOG), {}};
  {
    const LogScope scope(std::make_shared<const LogSubject>(LogSubject{.question = "q1"}));
    const auto run = [](void* context) {
      auto& mine = *static_cast<Job*>(context);
      mine.log->write(mine.log, QUARRY_LOG_INFO, as_text("from a job"));
      mine.ran.set_value();
    };
    ASSERT_EQ(table->submit(table, run, &job), QUARRY_OK);
  }
  job.ran.get_future().wait();
  EXPECT_NE(lines.find("org.a: from a job [question=q1]\n"), std::string::npos) << lines;
}

TEST_F(ServiceTablesTest, RunAJobThatWasAcceptedThoughItsHostShutsDown) {
  const auto* table = find<quarry_work_v1>(QUARRY_WORK);
  std::promise<void> release, ran;
  const auto wait = [](void* promise) {
    static_cast<std::promise<void>*>(promise)->get_future().wait();
  };
  const auto job = [](void* promise) { static_cast<std::promise<void>*>(promise)->set_value(); };
  const auto nothing = [](void*) {};
  ASSERT_EQ(table->submit(table, wait, &release), QUARRY_OK);
  ASSERT_EQ(table->submit(table, job, &ran), QUARRY_OK);
  std::thread stopper([this] { workers.shutdown(); });
  wait_until([&] { return table->submit(table, nothing, nullptr) != QUARRY_OK; });
  release.set_value();
  ran.get_future().wait();  // as a plugin may in destroy
  stopper.join();
}

TEST_F(ServiceTablesTest, KeepMetricsAndSayWhatIsWrongWithOne) {
  const auto* table = find<quarry_metrics_v1>(QUARRY_METRICS);
  table->count(table, as_text("fetches"), {nullptr, 0}, 2);
  table->gauge(table, as_text("Bad"), {nullptr, 0}, 2);
  EXPECT_THAT(metrics.expose(), ::testing::HasSubstr("quarry_fetches{plugin=\"org.a\"} 2"));
  EXPECT_THAT(lines, ::testing::HasSubstr("'Bad'"));
}

struct Taken {
  int32_t status = 0;
  std::string headers, bytes;
  quarry_http_sink sink{sizeof sink, this, &Taken::take_head, &Taken::take_data};

  static Taken& of(const quarry_http_sink* self) { return *static_cast<Taken*>(self->context); }
  static quarry_status take_head(const quarry_http_sink* self, int32_t code, uint32_t count,
                                 const quarry_header* const* list) {
    of(self).status = code;
    for (uint32_t i = 0; i < count; ++i)
      of(self).headers.append(list[i]->name.data, list[i]->name.size);
    return QUARRY_OK;
  }
  static quarry_status take_data(const quarry_http_sink* self, quarry_text more) {
    of(self).bytes.append(more.data, more.size);
    return QUARRY_OK;
  }
};

TEST_F(ServiceTablesTest, SendOnlyToTheHostsAndWithTheSecretsOfTheManifest) {
  testing::ScriptedServer server([](testing::Peer& peer) {
    while (const auto request = peer.request()) {
      const auto at = request->find("X-Key");
      peer.write(testing::ok(request->substr(at, request->find("\r\n", at) - at)));
    }
  });
  testing::ClientHost host;
  const Services services{clock,          log,     metrics,       paths, processes,
                          host.secrets(), workers, &host.client()};
  const ServiceTables net("org.n", {{"127.0.0.1"}, {}, {"key"}}, services);
  const auto* table = static_cast<const quarry_http_v1*>(net.find(QUARRY_HTTP));
  ASSERT_NE(table, nullptr);
  quarry_header header{sizeof header, as_text("X-Key"), {}, as_text("key")};
  const quarry_header* const headers[] = {&header};
  const std::string url = server.url("/\"");
  Reply permit;
  table->permit(table, wanted.get(), as_text("https://127.0.0.1:1/x"), &permit.slot);
  EXPECT_EQ(permit.value,
            R"({"host":"127.0.0.1","port":1,"addresses":["127.0.0.1"],"proxied":false})");
  quarry_http_request request{
      sizeof request, 1, as_text("GET"), as_text(url), headers, {}, 0, 0, 0};
  Taken taken;
  Reply sent, foreign, secret, over;
  table->send(table, wanted.get(), &request, &taken.sink, &sent.slot);
  EXPECT_EQ(sent.value, R"({"status":200,"url":")" + server.url() + R"(\""})");
  EXPECT_EQ(taken.status, 200);
  EXPECT_EQ(taken.headers, "Content-Length");
  EXPECT_EQ(taken.bytes, "X-Key: " + test_key());
  table->send(table, cancelled.get(), &request, &taken.sink, &over.slot);
  EXPECT_EQ(over.status, QUARRY_CANCELLED);
  request.url = as_text("http://8.8.8.8/");
  table->send(table, wanted.get(), &request, nullptr, &foreign.slot);
  EXPECT_EQ(foreign.status, QUARRY_PERMISSION_DENIED);
  header.secret = as_text("broken");
  table->send(table, wanted.get(), &request, nullptr, &secret.slot);
  EXPECT_EQ(secret.status, QUARRY_PERMISSION_DENIED);
}

TEST_F(ServiceTablesTest, TellWhichHostIsNotPermittedAndByWhat) {
  std::string target;
  testing::ScriptedServer server([&](testing::Peer& peer) {
    while (peer.request()) {
      peer.write("HTTP/1.1 302 Found\r\nLocation: " + target + "\r\nContent-Length: 0\r\n\r\n");
    }
  });
  testing::ClientHost host;
  const Services services{clock,          log,     metrics,       paths, processes,
                          host.secrets(), workers, &host.client()};
  const ServiceTables net("org.n", {.hosts = {"127.0.0.1", "10.0.0.1"}}, services);
  const auto* table = static_cast<const quarry_http_v1*>(net.find(QUARRY_HTTP));
  const auto refusal = [&](const std::string& url) {
    const quarry_http_request request{
        sizeof request, 0, as_text("GET"), as_text(url), nullptr, {}, 0, 0, 0};
    Reply reply;
    table->send(table, wanted.get(), &request, nullptr, &reply.slot);
    EXPECT_EQ(reply.status, QUARRY_PERMISSION_DENIED) << url;
    return reply;
  };
  const auto listed = refusal("http://a.example/x");
  EXPECT_EQ(listed.details, R"({"host":"a.example","redirect":false,"refusedBy":"manifest"})");
  EXPECT_THAT(listed.hint,
              ::testing::AllOf(::testing::HasSubstr("name 'a.example' in a field"),
                               ::testing::HasSubstr("the plugin's author can add it")));
  const auto network = refusal("http://10.0.0.1/");
  EXPECT_EQ(network.details, R"({"host":"10.0.0.1","redirect":false,"refusedBy":"network"})");
  EXPECT_THAT(network.hint, ::testing::HasSubstr("network.private_hosts"));
  target = "https://b.example:8443/y";
  EXPECT_EQ(refusal(server.url("/")).details,
            R"({"host":"b.example","redirect":true,"refusedBy":"manifest"})");
  target = "http://10.0.0.1/y";
  EXPECT_EQ(refusal(server.url("/")).details,
            R"({"host":"10.0.0.1","redirect":true,"refusedBy":"network"})");
  Reply permit;
  table->permit(table, wanted.get(), as_text("https://c.example/"), &permit.slot);
  EXPECT_EQ(permit.details, R"({"host":"c.example","redirect":false,"refusedBy":"manifest"})");
}

TEST_F(ServiceTablesTest, GiveUpASourceThatDripsButWaitForAnybodyElse) {
  testing::ScriptedServer server([](testing::Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    peer.wait_until_closed();
  });
  testing::ClientHost host;
  Services services{clock, log, metrics, paths, processes, host.secrets(), workers, &host.client()};
  services.minimum_fetch_speed = {1'000'000'000, std::chrono::milliseconds(50)};
  const std::string url = server.url();
  const quarry_http_request request{
      sizeof request, 0, as_text("GET"), as_text(url), nullptr, {}, 0, 0, 0};
  const auto begun = std::chrono::steady_clock::now();
  const Call one_second{.state = [begun] {
    const auto passed = std::chrono::steady_clock::now() - begun;
    return passed > std::chrono::seconds(1) ? Code::kCancelled : Code::kOk;
  }};
  const CallTable until(one_second, none);
  const auto status = [&](bool resources) {
    const ServiceTables net("org.n", {.hosts = {"127.0.0.1"}, .resources = resources}, services);
    const auto* table = static_cast<const quarry_http_v1*>(net.find(QUARRY_HTTP));
    Taken taken;
    Reply sent;
    table->send(table, resources ? wanted.get() : until.get(), &request, &taken.sink, &sent.slot);
    return sent.status;
  };
  EXPECT_EQ(status(true), QUARRY_DEADLINE_EXCEEDED);
  EXPECT_EQ(status(false), QUARRY_CANCELLED) << "until its own end";
}

TEST_F(ServiceTablesTest, LetAModelProviderUseItsEndpointAndItsConfiguredSecret) {
  testing::ScriptedServer server([](testing::Peer& peer) {
    while (const auto request = peer.request()) {
      const auto at = request->find("X-Key");
      peer.write(testing::ok(request->substr(at, request->find("\r\n", at) - at)));
    }
  });
  testing::ClientHost host({}, {});
  host.policy() = EgressPolicy::make({}, {*parse_endpoint(server.url())}).value();
  host.secrets().update({{"model.work.api_key", {SecretSource::From::kEnvironment, {"KEY"}}},
                         {"other.api_key", {SecretSource::From::kEnvironment, {"KEY"}}}});
  const Services services{clock,          log,     metrics,       paths, processes,
                          host.secrets(), workers, &host.client()};
  quarry_header header{sizeof header, as_text("X-Key"), {}, as_text("model.work.api_key")};
  const quarry_header* const headers[] = {&header};
  const std::string url = server.url();
  const quarry_http_request request{
      sizeof request, 1, as_text("GET"), as_text(url), headers, {}, 0, 0, 0};
  const CallRights rights{.secrets = {"model.work.api_key"}, .hosts = {}};
  const CallTable configured(endless, rights);
  const auto status = [&](bool models) {
    const ServiceTables net("org.n", {.hosts = {"example.org"}, .models = models}, services);
    const auto* table = static_cast<const quarry_http_v1*>(net.find(QUARRY_HTTP));
    Taken taken;
    Reply sent;
    table->send(table, configured.get(), &request, &taken.sink, &sent.slot);
    return sent.status;
  };
  EXPECT_EQ(status(true), QUARRY_OK);
  EXPECT_EQ(status(false), QUARRY_PERMISSION_DENIED);
  header.secret = as_text("other.api_key");
  EXPECT_EQ(status(true), QUARRY_PERMISSION_DENIED);
  header.secret = {};
  EXPECT_EQ(status(false), QUARRY_PERMISSION_DENIED) << "the host is not listed";
}

TEST_F(ServiceTablesTest, PermitTheHostsOfTheCall) {
  testing::ScriptedServer server([](testing::Peer& peer) {
    while (peer.request()) peer.write(testing::ok("x"));
  });
  testing::ClientHost host;
  const Services services{clock,          log,     metrics,       paths, processes,
                          host.secrets(), workers, &host.client()};
  const ServiceTables net("org.n", {.calls_name_hosts = true}, services);
  const auto* table = static_cast<const quarry_http_v1*>(net.find(QUARRY_HTTP));
  ASSERT_NE(table, nullptr);
  const CallRights rights{.secrets = {}, .hosts = {"127.0.0.1"}};
  const CallTable about_it(endless, rights);
  const std::string url = server.url();
  const quarry_http_request request{
      sizeof request, 0, as_text("GET"), as_text(url), nullptr, {}, 0, 0, 0};
  const auto status = [&](const quarry_call* call) {
    Taken taken;
    Reply sent;
    table->send(table, call, &request, &taken.sink, &sent.slot);
    return sent.status;
  };
  EXPECT_EQ(status(about_it.get()), QUARRY_OK);
  EXPECT_EQ(status(wanted.get()), QUARRY_PERMISSION_DENIED);
}

TEST_F(ServiceTablesTest, SendSeveralRequestsAtOnce) {
  std::barrier both(2);  // passed only when two requests are open
  testing::ScriptedServer server([&](testing::Peer& peer) {
    while (const auto request = peer.request()) {
      both.arrive_and_wait();
      peer.write(testing::ok(request->substr(0, request->find(" HTTP"))));
    }
  });
  testing::ClientHost host;
  const Services services{clock,          log,     metrics,       paths, processes,
                          host.secrets(), workers, &host.client()};
  const ServiceTables net("org.n", {.hosts = {"127.0.0.1"}}, services);
  const auto* table = static_cast<const quarry_http_v1*>(net.find(QUARRY_HTTP));
  const std::string urls[] = {server.url("/a"), server.url("/b"), "http://8.8.8.8/"};
  std::vector<quarry_http_request> requests;
  for (const std::string& url : urls) {
    requests.push_back(
        {sizeof(quarry_http_request), 0, as_text("GET"), as_text(url), nullptr, {}, 0, -1, 0});
  }
  const quarry_http_request* const asked[] = {&requests[0], &requests[1], &requests[2]};
  Taken a, b;
  const quarry_http_sink* const sinks[] = {&a.sink, &b.sink, nullptr};
  Reply sent, over_call, too_many;
  table->send_all(table, wanted.get(), 3, asked, sinks, &sent.slot);
  EXPECT_EQ(a.bytes, "GET /a");
  EXPECT_EQ(b.bytes, "GET /b");
  EXPECT_THAT(sent.value, ::testing::StartsWith(R"({"responses":[{"status":200,"url":")" + urls[0] +
                                                R"("},{"status":200,"url":")" + urls[1] + "\"}," +
                                                R"({"failure":{"status":3,"message":")"));
  EXPECT_THAT(sent.value, ::testing::EndsWith(R"(,"details":{"host":"8.8.8.8","redirect":false,)"
                                              R"("refusedBy":"manifest"}}}]})"));
  table->send_all(table, cancelled.get(), 3, asked, sinks, &over_call.slot);
  EXPECT_EQ(over_call.status, QUARRY_CANCELLED);
  table->send_all(table, wanted.get(), 1001, asked, sinks, &too_many.slot);
  EXPECT_EQ(too_many.status, QUARRY_INVALID_ARGUMENT);
}

TEST_F(ServiceTablesTest, FollowAsManyRedirectsAsARequestSays) {
  testing::ScriptedServer server([&](testing::Peer& peer) {
    while (peer.request()) {
      peer.write("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n");
    }
  });
  testing::ClientHost host;
  const Services services{clock,          log,     metrics,       paths, processes,
                          host.secrets(), workers, &host.client()};
  const ServiceTables net("org.n", {.hosts = {"127.0.0.1"}}, services);
  const auto* table = static_cast<const quarry_http_v1*>(net.find(QUARRY_HTTP));
  const std::string url = server.url("/");
  quarry_http_request request{
      sizeof request, 0, as_text("GET"), as_text(url), nullptr, {}, 0, -1, 0};
  Taken taken;
  Reply unfollowed, one, five, refused;
  table->send(table, wanted.get(), &request, &taken.sink, &unfollowed.slot);
  EXPECT_EQ(unfollowed.value, R"({"status":302,"url":")" + url + "\"}");
  EXPECT_EQ(taken.status, 302);
  request.max_redirects = 1;
  table->send(table, wanted.get(), &request, nullptr, &one.slot);
  EXPECT_EQ(one.value, R"({"status":302,"url":")" + server.url("/next") + "\"}");
  request.max_redirects = 0;
  table->send(table, wanted.get(), &request, nullptr, &five.slot);
  EXPECT_EQ(five.status, QUARRY_UNAVAILABLE) << "too many";
  request.reserved = 1;
  table->send(table, wanted.get(), &request, nullptr, &refused.slot);
  EXPECT_EQ(refused.status, QUARRY_INVALID_ARGUMENT);
}

TEST_F(ServiceTablesTest, EndARequestAtItsTimeout) {
  testing::ScriptedServer server([](testing::Peer& peer) {
    peer.request();
    peer.wait_until_closed();
  });
  testing::ClientHost host;
  const Services services{clock,          log,     metrics,       paths, processes,
                          host.secrets(), workers, &host.client()};
  const ServiceTables net("org.n", {.hosts = {"127.0.0.1"}}, services);
  const auto* table = static_cast<const quarry_http_v1*>(net.find(QUARRY_HTTP));
  const std::string url = server.url("/");
  for (const std::int64_t timeout : {50, -1}) {
    const quarry_http_request request{
        sizeof request, 0, as_text("GET"), as_text(url), nullptr, {}, timeout, 0, 0};
    Reply late;
    table->send(table, wanted.get(), &request, nullptr, &late.slot);
    EXPECT_EQ(late.status, QUARRY_DEADLINE_EXCEEDED);
  }
}

TEST_F(ServiceTablesTest, OfferNothingUnknownOrUnpermitted) {
  const ServiceTables bare("org.b", {}, {clock, log, metrics, paths, processes, secrets, workers});
  EXPECT_EQ(tables.find("quarry.nothing/1"), nullptr);
  EXPECT_EQ(bare.find(QUARRY_PROCESS), nullptr);
  EXPECT_EQ(bare.find(QUARRY_HTTP), nullptr);
  EXPECT_NE(bare.find(QUARRY_LOG), nullptr);
}

}  // namespace
}  // namespace quarry::services
