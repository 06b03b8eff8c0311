#include "engine/model_listing.h"

#include "base/testing/waiting.h"
#include "engine/testing/fake_providers.h"
#include "engine/testing/stream_server.h"
#include "services/workers.h"

#include <latch>

#include <gmock/gmock.h>

namespace quarry::engine {
namespace {

using ::testing::ElementsAre;
using testing::FakeProvider;
using Listed = std::vector<plugins::ModelInfo>;
using From = services::SecretSource::From;

struct Listing : ::testing::Test {
  static ModelSource source(std::string id, plugins::ModelDescription described,
                            FakeProvider::List list = {}) {
    return {id, id, "", "{}",
            std::make_shared<FakeProvider>(std::move(described), std::move(list))};
  }

  services::Redactor redactor;
  services::ProcessRunner processes{"/usr/bin:/bin", "/"};
  services::SecretStore secrets{
      {{"model.api_key", {From::kFile, {"/nowhere/key"}}},
       {"model.w.api_key", {From::kEnvironment, {"WORK_KEY"}}}},
      [](const char* name) { return std::string_view(name) == "SET" ? "x" : nullptr; },
      processes,
      redactor};
  ModelListing listing{secrets};
};

TEST_F(Listing, KeepsAListOnceItCame) {
  int asked = 0;
  const auto one = source("a", {}, [&](const services::Call&) -> Result<Listed> {
    if (++asked == 1) return Error{Code::kUnavailable, "down"};
    return Listed{{"m", 4096}};
  });
  EXPECT_EQ(listing.of(one, {}).error().message, "down");
  EXPECT_FALSE(listing.known("a"));
  EXPECT_EQ(listing.of(one, {})->front().id, "m");
  EXPECT_EQ(listing.of(one, {})->front().context_tokens, 4096);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(listing.all({&one}, {})[0].models.size(), 1u);
  EXPECT_EQ(asked, 3) << "all() does not use the cache";
}

TEST_F(Listing, AsksAgainWhereThereWasNoModelYet) {
  Listed models;
  const auto one = source("a", {}, [&](const services::Call&) -> Result<Listed> { return models; });
  EXPECT_TRUE(listing.of(one, {})->empty());
  models = {{"m", 0}};
  EXPECT_EQ(listing.of(one, {})->size(), 1u);
}

TEST_F(Listing, AsksNobodyWhoseSecretIsMissing) {
  const auto never = [](const services::Call&) -> Result<Listed> {
    ADD_FAILURE();
    return Listed{};
  };
  const auto env = source("a", testing::needing({"SET", "UNSET"}), never);
  const auto work = source("b", testing::needing({"model.w.api_key"}), never);
  const auto file = source("c", testing::needing({"model.api_key"}), never);
  const auto listed = listing.all({&env, &work, &file}, {});
  EXPECT_EQ(listed[0].failure->message, "UNSET is not set");
  EXPECT_EQ(listed[0].failure->tag, "ProviderNotConnectedError");
  EXPECT_EQ(listed[1].failure->message, "WORK_KEY is not set");
  EXPECT_THAT(listed[2].failure->message, ::testing::HasSubstr("/nowhere/key"));
  EXPECT_FALSE(missing_secret(env, secrets, {}, {"UNSET"}));
}

TEST_F(Listing, TellsThatALocalServerIsNotThere) {
  std::string url;
  {
    const testing::StreamServer server(
        [](std::size_t, const std::string&) { return testing::Answer(); });
    url = server.url();
  }
  const auto gone = source("a", testing::serving(url + "/v1"));
  const auto failure = listing.of(gone, {}).error();
  EXPECT_EQ(failure.message, "connection refused at " + url);
  EXPECT_EQ(failure.tag, "ProviderNotConnectedError");
}

TEST_F(Listing, AProviderWithoutAListIsReached) {
  const auto one = source("a", {});
  EXPECT_EQ(listing.of(one, {}).error().code, Code::kUnsupported);
  EXPECT_FALSE(listing.all({&one}, {})[0].failure);
}

TEST_F(Listing, AsksAllAtOnce) {
  std::latch all_asked(4);
  const auto meet = [&](const services::Call&) -> Result<Listed> {
    all_asked.arrive_and_wait();
    return Listed{{"m"}};
  };
  std::vector<ModelSource> sources;
  for (const char* id : {"a", "b", "c", "d"}) sources.push_back(source(id, {}, meet));
  const auto listed = listing.all({&sources[0], &sources[1], &sources[2], &sources[3]}, {});
  for (const auto& one : listed) EXPECT_FALSE(one.failure) << one.failure->message;
}

/// A slow provider must not keep a worker from the tools of questions.
TEST_F(Listing, LeavesItsWorkersPlaceWhileItWaits) {
  std::latch other_ran(1);
  std::latch ended(1);
  const auto slow = source("a", {}, [&](const services::Call&) -> Result<Listed> {
    other_ran.wait();
    return Listed{{"m"}};
  });
  services::WorkerPool workers(1);
  workers.submit([&] {
    EXPECT_FALSE(listing.all({&slow}, {})[0].failure);
    ended.count_down();
  });
  workers.submit([&] { other_ran.count_down(); });
  ended.wait();
}

TEST_F(Listing, EndsWithItsCall) {
  std::stop_source stop;
  const auto waits = source("a", {}, [&](const services::Call& call) -> Result<Listed> {
    stop.request_stop();
    wait_until_stopped(call.stop);
    return Error{Code::kCancelled, "cancelled"};
  });
  EXPECT_EQ(listing.all({&waits}, stop.get_token())[0].failure->code, Code::kCancelled);
}

TEST_F(Listing, SaysHowLongItWaited) {
  const auto slow = source("a", {}, [](const services::Call&) -> Result<Listed> {
    return Error{Code::kDeadlineExceeded, "the time is over"};
  });
  EXPECT_EQ(listing.of(slow, {}).error().message, "no answer within 3 s");
}

TEST_F(Listing, TellsRefusedCredentialsFromTheRest) {
  const auto one = source("work", {});
  EXPECT_EQ(not_connected(one, {Code::kUnauthenticated, "HTTP 401: no"}).tag,
            "ProviderNotAuthenticatedError");
  EXPECT_THAT(not_connected(one, {Code::kUnauthenticated, "HTTP 401: no"}).hint,
              ::testing::HasSubstr("Check the API key"));
  EXPECT_EQ(not_connected(one, {Code::kUnavailable, "down"}).tag, "ProviderNotConnectedError");
  EXPECT_EQ(not_connected(one, {Code::kUnavailable, "down"}).message,
            "the model provider \"work\" cannot be asked: down");
}

}  // namespace
}  // namespace quarry::engine
