#include "runner/testing/models_fixture.h"

#include <quarry/model.h>
#include <quarry/pricing.h>

namespace quarry::runner {
namespace {

using ::testing::HasSubstr;

TEST_F(IsolatedModels, GenerateEverythingThatASinkTakes) {
  const auto echo = model("echo");
  EXPECT_EQ(echo->form(), plugins::ModelProvider::Form::kGenerate);
  EXPECT_TRUE(echo->describe().local);
  Transcript transcript;
  echo->generate({}, "hello", transcript);
  EXPECT_EQ(transcript.said,
            "text hello;reasoning thought;tool 1idgrep{};usage 15;keep {\"kept\":1};finish 1");
  const auto models = echo->models({});
  ASSERT_TRUE(models);
  EXPECT_EQ(models->at(0).context_tokens, 9);
}

TEST_F(IsolatedModels, StreamMoreThanAWindow) {
  Transcript transcript;
  const std::string request = "count=2000 " + std::string(5000, 'x');
  model("echo")->generate({}, request, transcript);
  EXPECT_EQ(transcript.bytes, 2000 * request.size());
  EXPECT_TRUE(transcript.said.ends_with("finish 1")) << transcript.said.substr(0, 200);
}

TEST_F(IsolatedModels, StopWhenNoMoreIsWanted) {
  Transcript transcript;
  transcript.most = 3;
  model("echo")->generate({}, "count=2000000000 endless", transcript);
  EXPECT_THAT(transcript.said, HasSubstr("error echo (org.example.models): the provider ended"));
}

TEST_F(IsolatedModels, FaultsOfTheProviderAreThoseItHasInTheHost) {
  Transcript transcript;
  model("echo")->generate({}, "no usage", transcript);
  EXPECT_THAT(transcript.said, HasSubstr("reported usage without its counts"));
}

TEST_F(IsolatedModels, ACrashEndsTheStep) {
  Transcript transcript;
  model("echo")->generate({}, "count=5 crash", transcript);
  EXPECT_THAT(transcript.said,
              HasSubstr("error plugin org.example.models (isolated) was killed by signal 4 "
                        "(Illegal instruction), while it ran generate"));
  EXPECT_EQ(transcript.failed.code, Code::kUnavailable);
}

TEST_F(IsolatedModels, ExchangesTranslate) {
  const auto provider = model("exchange");
  EXPECT_EQ(provider->form(), plugins::ModelProvider::Form::kExchange);
  EXPECT_EQ(provider->models({}).error().code, Code::kUnsupported);
  const auto exchange = provider->begin("question");
  ASSERT_TRUE(exchange) << exchange.error().message;
  for (const auto* url : {"https://example.org/1", "https://example.org/2"}) {
    const auto request = (*exchange)->request();
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->url, url);
    EXPECT_EQ(request->body, "question");
    EXPECT_EQ(request->headers.at(0).secret, "model.key");
  }
  Transcript transcript;
  const services::HttpHeader header{"Etag", "one", ""};
  (*exchange)->head(200, {&header, 1}, transcript);
  (*exchange)->data("bytes", transcript);
  (*exchange)->end(true, transcript);
  EXPECT_EQ(transcript.said, "text 200one;text bytes;finish 0");
}

TEST_F(IsolatedModels, ExchangesThatEndBadly) {
  const auto provider = model("exchange");
  const auto refused = provider->begin("refused");
  EXPECT_EQ(refused.error().message, "refused on purpose");
  const auto none = provider->begin("none");
  ASSERT_TRUE(none);
  EXPECT_THAT((*none)->request().error().message, HasSubstr("it gave none"));
  const auto cut = provider->begin("cut");
  Transcript transcript;
  (*cut)->end(false, transcript);
  EXPECT_EQ(transcript.failed.http_status, 503);
  EXPECT_EQ(transcript.failed.retry_after_ms, 250);
}

TEST_F(IsolatedModels, ExchangesOfARunnerThatEndedFailAndNewOnesBegin) {
  const auto provider = model("exchange");
  const auto lost = provider->begin("lost");
  const auto crashing = provider->begin("crashing");
  ASSERT_TRUE(lost && crashing);
  Transcript crashed;
  (*crashing)->data("crash", crashed);
  EXPECT_THAT(crashed.said, HasSubstr("while it ran data"));
  Transcript after;
  (*lost)->data("bytes", after);
  EXPECT_THAT(after.said, HasSubstr("error plugin org.example.models (isolated) was killed"));
  EXPECT_EQ(after.failed.retry_after_ms, 0) << "it may be asked again";
  EXPECT_EQ(crashed.failed.retry_after_ms, -1);
  const auto next = provider->begin("next");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ((*next)->request()->body, "next");
}

/// With a grace for which the test would wait for ever.
class HangingExchanges : public IsolatedModels {
 protected:
  void SetUp() override {
    runners_.grace = std::chrono::hours(1);
    limit_only(Function::kData, std::chrono::milliseconds(50));
    IsolatedModels::SetUp();
  }
};

TEST_F(HangingExchanges, HoldUpTheirThreadForTheirLimitOnly) {
  const auto provider = model("exchange");
  const auto exchange = provider->begin("question");
  ASSERT_TRUE(exchange);
  Transcript transcript;
  (*exchange)->data("hang", transcript);
  EXPECT_THAT(transcript.said, HasSubstr("did not answer data within 50 ms"));
}

TEST_F(IsolatedModels, PricesAreReadAndRefreshed) {
  const auto prices = registry_->make_pricing("prices", "{}");
  ASSERT_TRUE(prices);
  const auto known = (*prices)->rates("known", "m");
  ASSERT_TRUE(known && *known) << known.error().message;
  EXPECT_EQ((*known)->source, "here");
  EXPECT_FALSE(*(*prices)->rates("other", "m"));
  const auto refreshed = (*prices)->refresh({});
  ASSERT_TRUE(refreshed);
  EXPECT_TRUE(refreshed->changed);
  EXPECT_THAT((*prices)->rates("known", "crash").error().message, HasSubstr("while it ran rates"));
  EXPECT_TRUE((*prices)->rates("known", "m"));
}

}  // namespace
}  // namespace quarry::runner
