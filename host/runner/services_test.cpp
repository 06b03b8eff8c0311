#include "runner/answer.h"
#include "runner/testing/isolated_fixture.h"
#include "services/call_table.h"
#include "services/service_tables.h"

#include <quarry/outcome.hpp>
#include <quarry/services.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

namespace quarry::runner {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kChunk = 64u << 10;
constexpr std::size_t kChunks = 200;  // more than one window

/// A large body as its size.
std::string body_text(std::string_view body) {
  return body.size() < 100 ? std::string(body) : std::to_string(body.size()) + " bytes";
}

/// An HTTP service whose response is 200 chunks; its value is the request.
void send_chunks(const quarry_http_v1*, const quarry_call*, const quarry_http_request* request,
                 const quarry_http_sink* sink, const quarry_reply* reply) {
  const quarry_header header{sizeof header, as_text("Etag"), as_text("\"1\""), {}};
  const quarry_header* const headers[] = {&header};
  sink->head(sink, 200, 1, headers);
  const std::string chunk(kChunk, 'x');
  std::size_t given = 0;
  while (given < kChunks && sink->data(sink, as_text(chunk)) == QUARRY_OK) ++given;
  const std::string told =
      std::string(as_view(request->method)) + " " + std::string(as_view(request->url)) + " " +
      body_text(as_view(request->body)) + " " + std::string(as_view(request->headers[0]->value)) +
      std::string(as_view(request->headers[0]->secret)) + " " +
      std::to_string(request->timeout_ms) + "/" + std::to_string(request->max_redirects) +
      (given == kChunks ? " whole" : " cut");
  reply->value(reply, as_text(told));
}

/// The tables of services that reply when their call is over, or after 20 s.
class SilentServices {
 public:
  void wait_until_sent(std::size_t requests) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sent_ >= requests; });
  }
  [[nodiscard]] const quarry_http_v1* http() const { return &http_; }
  [[nodiscard]] const quarry_secrets_v1* secrets() const { return &secrets_; }

 private:
  void count_request() {
    const std::lock_guard lock(mutex_);
    ++sent_;
    changed_.notify_all();
  }
  static void wait(const quarry_call* call, const quarry_reply* reply) {
    const auto* table = services::CallTable::find(call);
    const auto waited = services::sleep(table->call(), std::chrono::seconds(20));
    if (waited) return reply->value(reply, as_text("\"the call was not over\""));
    reply_error(reply, waited.error());
  }

  quarry_http_v1 http_{
      .struct_size = sizeof http_,
      .context = this,
      .send =
          [](const quarry_http_v1* self, const quarry_call* call, const quarry_http_request*,
             const quarry_http_sink* sink, const quarry_reply* reply) {
            static_cast<SilentServices*>(self->context)->count_request();
            sink->head(sink, 200, 0, nullptr);
            wait(call, reply);
          },
      .permit = [](const quarry_http_v1*, const quarry_call* call, quarry_text,
                   const quarry_reply* reply) { wait(call, reply); },
      .send_all = nullptr};
  quarry_secrets_v1 secrets_{
      .struct_size = sizeof secrets_,
      .context = nullptr,
      .get = [](const quarry_secrets_v1*, const quarry_call* call, quarry_text,
                const quarry_reply* reply) { wait(call, reply); },
      .hide = nullptr};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t sent_ = 0;
};

/// The plugin org.example.services in a runner, with the host's own services.
class IsolatedServices : public Isolated {
 protected:
  void SetUp() override {
    Isolated::SetUp();
    runners_.call_limit = [](Function) { return std::chrono::hours(1); };
    fs::copy(QUARRY_BUILD_DIR "/tests/plugins/services", root_ / "plugins/services",
             fs::copy_options::recursive);
  }

  Result<std::shared_ptr<plugins::ResourceType>> make_type() {
    plugins::RegistryOptions options;
    options.directories = {root_ / "plugins"};
    options.disabled = {"org.example.faulty"};
    options.isolation = {{"org.example.services", "process"}};
    options.isolate = [this](const auto& manifest) { return isolate(manifest, runners_); };
    options.services = [this](const plugins::Manifest&) {
      return [this](std::string_view id) -> const void* {
        if (silent_ && id == QUARRY_HTTP) return silent_->http();
        if (silent_ && id == QUARRY_SECRETS) return silent_->secrets();
        return id == QUARRY_HTTP ? &http_ : tables_.find(id);
      };
    };
    auto registry = plugins::Registry::load(std::move(options));
    EXPECT_TRUE(registry->problems().empty()) << registry->problems().front().message;
    return registry->make_resource_type("services", "{}");
  }
  std::string outcome_of(const char* use, const services::Call& call = {}) {
    const auto type = make_type();
    if (!type) return type.error().message;
    const auto normalised = (*type)->normalise(call, Json{{"use", use}});
    return normalised ? normalised->value("outcome", "") : normalised.error().message;
  }

  services::Redactor redactor_;
  std::string lines_;
  services::Log log_{{services::Level::kInfo, services::LogFormat::kText,
                      [this](std::string_view line) { lines_ += line; }},
                     redactor_};
  services::Metrics metrics_;
  std::unique_ptr<services::Paths> own_paths_ = make_paths();
  services::ProcessRunner processes_{"/usr/bin:/bin", "/"};
  services::SecretStore secrets_{{{"key", {services::SecretSource::From::kEnvironment, {"KEY"}}}},
                                 [](const char*) { return "value of the key"; },
                                 processes_,
                                 redactor_};
  services::WorkerPool workers_{1};
  services::ServiceTables tables_{
      "org.example.services",
      {{}, {"echo", "sh", "sleep"}, {"key"}},
      {clock_, log_, metrics_, *own_paths_, processes_, secrets_, workers_}};
  quarry_http_v1 http_{sizeof(quarry_http_v1), nullptr, send_chunks, nullptr, nullptr};
  std::optional<SilentServices> silent_;

 private:
  static std::unique_ptr<services::Paths> make_paths() {
    const auto root = *make_temp_directory(fs::temp_directory_path(), "quarry-paths-");
    return std::make_unique<services::Paths>(
        services::Paths::Roots{root / "cache", root / "data", root / "state"});
  }
};

TEST_F(IsolatedServices, GiveTheSecretsOfTheManifestOnly) {
  EXPECT_EQ(outcome_of("own secret"), "\"value of the key\"");
  EXPECT_THAT(outcome_of("other secret"), HasSubstr("does not list the secret 'other'"));
  EXPECT_EQ(outcome_of("no call"), "1 a service was used without a call");
}

TEST_F(IsolatedServices, RunPrograms) {
  EXPECT_EQ(outcome_of("echo"), "{\"exit\":0}hello ");
}

TEST_F(IsolatedServices, EndWithTheCall) {
  std::stop_source stop;
  std::jthread stopping([&] { stop.request_stop(); });
  EXPECT_THAT(outcome_of("sleep", {.stop = stop.get_token()}), HasSubstr("cancelled"));
}

class PartsOfIsolatedCalls : public IsolatedServices {
 protected:
  void SetUp() override {
    IsolatedServices::SetUp();
    silent_.emplace();
  }
};

TEST_F(PartsOfIsolatedCalls, EndASilentRequest) {
  EXPECT_EQ(outcome_of("end request"), "8 the time limit of the call has passed");
}

TEST_F(PartsOfIsolatedCalls, EndSeveralRequests) {
  EXPECT_EQ(outcome_of("end several"), "8 the call is over");
}

TEST_F(PartsOfIsolatedCalls, EndARequestThatWaitsForOthers) {
  const auto type = make_type();
  ASSERT_TRUE(type);
  std::stop_source stop;
  std::thread busy([&] {
    const auto held =
        (*type)->normalise({.stop = stop.get_token()}, Json{{"use", "hold requests"}});
    EXPECT_EQ((*held)["outcome"], "7 the call is over");
  });
  silent_->wait_until_sent(16);
  const auto ended = (*type)->normalise({}, Json{{"use", "end secret"}});
  stop.request_stop();
  busy.join();
  EXPECT_EQ((*ended)["outcome"], "8 the time limit of the call has passed");
}

TEST_F(PartsOfIsolatedCalls, EndAPermit) {
  EXPECT_EQ(outcome_of("end permit"), "8 the time limit of the call has passed");
}

TEST_F(PartsOfIsolatedCalls, EndAProgram) {
  EXPECT_EQ(outcome_of("end program"), "8 the time limit of the call has passed");
}

TEST_F(PartsOfIsolatedCalls, EndTheWaitForASecret) {
  EXPECT_EQ(outcome_of("end secret"), "8 the time limit of the call has passed");
}

TEST_F(PartsOfIsolatedCalls, EndASleepInALoopThatIsJoined) {
  EXPECT_EQ(outcome_of("end sleep"), "8");
}

TEST_F(IsolatedServices, StreamAResponseOfAnySize) {
  EXPECT_EQ(outcome_of("whole response"),
            "200 Etag:\"1\" " + std::to_string(kChunk * kChunks) +
                " POST https://example.org/ body Bearer key 7000/3 whole");
  EXPECT_EQ(outcome_of("part of a response"),
            "200 Etag:\"1\" 65536 7 the plugin ended it before its outcome");
}

TEST_F(IsolatedServices, TakeTheGuaranteedSizes) {
  EXPECT_EQ(outcome_of("large request"),
            "POST https://example.org/ 16777216 bytes Bearer key 0/0 whole");
  EXPECT_EQ(outcome_of("large input"), "{\"exit\":0}16777216 9997 ");
}

TEST_F(IsolatedServices, RefuseWhatDoesNotFitIntoAFrameAndStayUsable) {
  const auto type = make_type();
  ASSERT_TRUE(type);
  const auto outcome = [&](const char* use) {
    const auto normalised = (*type)->normalise({}, Json{{"use", use}});
    return normalised ? normalised->value("outcome", "") : normalised.error().message;
  };
  EXPECT_THAT(outcome("excessive request"), StartsWith("6 an isolated plugin may pass"));
  EXPECT_THAT(outcome("excessive requests"),
              AllOf(HasSubstr("\"status\":6"), HasSubstr("QUARRY_LIMIT_REQUEST_BODY")));
  EXPECT_THAT(outcome("excessive input"), StartsWith("6 an isolated plugin may pass"));
  EXPECT_THAT(outcome("excessive arguments"),
              StartsWith("6 an isolated plugin may pass 10000 arguments"));
  EXPECT_EQ(outcome("echo"), "{\"exit\":0}hello ");
}

TEST_F(IsolatedServices, GiveAWritableDirectory) {
  const auto file = outcome_of("file");
  EXPECT_EQ(read_file(file).value_or("nothing in " + file), "by the plugin");
}

TEST_F(IsolatedServices, AreUnsupportedInACallWithoutParent) {
  EXPECT_EQ(outcome_of("job"), "9 an isolated plugin used a service without its call");
  EXPECT_EQ(outcome_of("own call: secret"), "9 an isolated plugin used a service without its call");
  EXPECT_EQ(outcome_of("own call: several"),
            "9 an isolated plugin used a service without its call");
}

TEST_F(IsolatedServices, LogUnderThePluginsNameWithoutSecrets) {
  EXPECT_EQ(outcome_of("log"), "0");
  EXPECT_THAT(lines_, AllOf(HasSubstr("warning org.example.services: it is "),
                            Not(HasSubstr("found-by-the-plugin"))));
}

TEST_F(IsolatedServices, LogUnderTheIdsOfTheCall) {
  for (const char* use : {"log", "log in a job"}) {
    lines_.clear();
    {
      const services::LogScope scope(
          std::make_shared<const services::LogSubject>(services::LogSubject{.question = "q1"}));
      outcome_of(use);
    }
    EXPECT_THAT(lines_, HasSubstr("[question=q1]\n")) << use;
    lines_.clear();
    outcome_of(use);
    EXPECT_THAT(lines_, AllOf(HasSubstr("warning"), Not(HasSubstr("[question")))) << use;
  }
}

/// The thread of a call reads the frames of all calls while it waits.
TEST_F(IsolatedServices, LogUnderTheIdsOfTheirOwnCallWhileAnotherReads) {
  const auto type = make_type();
  ASSERT_TRUE(type);
  const auto about = [](std::string question) {
    return std::make_shared<const services::LogSubject>(
        services::LogSubject{.question = std::move(question)});
  };
  std::stop_source stop;
  std::thread reader([&] {
    const services::LogScope scope(about("q1"));
    static_cast<void>((*type)->normalise({.stop = stop.get_token()}, Json{{"use", "sleep"}}));
  });
  for (int i = 0; i < 200; ++i) {
    lines_.clear();
    const services::LogScope scope(about("q2"));
    EXPECT_TRUE((*type)->normalise({}, Json{{"use", "log"}}));
    EXPECT_THAT(lines_, AllOf(HasSubstr("[question=q2]\n"), Not(HasSubstr("q1"))));
  }
  stop.request_stop();
  reader.join();
}

TEST_F(IsolatedServices, ScratchIsReadByTheHostAndRemoved) {
  const auto type = make_type();
  ASSERT_TRUE(type);
  KeptFiles files;
  const auto fetched = (*type)->fetch({}, Json{{"a", 1}}, {.id = "1", .display = "1"}, {}, files);
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(files.seen_in_directory, "a.md;");
  const fs::path cache = *own_paths_->plugin_cache("org.example.services");
  EXPECT_TRUE(fs::is_empty(cache));
}

}  // namespace
}  // namespace quarry::runner
