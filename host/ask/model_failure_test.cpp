#include "ask/model_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

plugins::ModelError http(int status, std::string message = "no") {
  return {.code = Code::kInternal, .http_status = status, .message = std::move(message)};
}

TEST(ModelFailure, AnOutageIsWhatAnotherModelCanMakeGood) {
  for (const int status : {402, 408, 409, 429, 500, 502, 503, 504, 529}) {
    EXPECT_TRUE(is_outage(http(status))) << status;
  }
  for (const int status : {400, 401, 403, 404, 413, 422}) {
    EXPECT_FALSE(is_outage(http(status))) << status;
  }
  EXPECT_TRUE(is_outage({.code = Code::kUnavailable, .message = "connection refused"}));
  EXPECT_TRUE(is_outage({.code = Code::kDeadlineExceeded, .message = "silent"}));
  EXPECT_TRUE(is_outage({.code = Code::kResourceExhausted, .message = "quota"}));
  EXPECT_FALSE(is_outage({.code = Code::kUnauthenticated, .message = "no key"}));
  EXPECT_FALSE(is_outage({.code = Code::kInvalidArgument, .message = "bad option"}));
}

TEST(ModelFailure, AnEmptyAccountIsAnOutageWhateverItsStatus) {
  const auto broke = http(400, "Your credit balance is too low to access the API");
  EXPECT_TRUE(is_outage(broke));
  EXPECT_TRUE(is_outage(http(403, "insufficient_quota: pay first")));
  EXPECT_FALSE(is_refused(http(403, "insufficient_quota: pay first")));
  EXPECT_TRUE(is_outage(http(403, "Your team doesn't have any credits yet.")));  // continue#12670
}

TEST(ModelFailure, KnowsHowProvidersSayThatARequestIsTooLong) {
  for (const char* message : {
           "This model's maximum context length is 8192 tokens (context_length_exceeded)",
           "prompt is too long: 210000 tokens > 200000 maximum",
           "The input token count (9) exceeds the maximum number of tokens allowed (8).",
           "the request exceeds the available context size",
           "Your input exceeds the context window of this model.",
           // anthropics/claude-code#42, sgl-project/sglang#4048, earendil-works/pi#4943,
           // langgenius/dify#32221
           "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000",
           "Input length (160062 tokens) exceeds the maximum allowed length (131072 tokens).",
           "prompt token count of 141422 exceeds the limit of 128000",
           "Range of input length should be [1, 30720]",
       }) {
    EXPECT_TRUE(is_too_long(http(400, message))) << message;
    EXPECT_FALSE(is_too_long(http(500, message))) << message;
  }
  EXPECT_TRUE(is_too_long(http(413)));
  EXPECT_TRUE(is_too_long({.code = Code::kInvalidArgument, .message = "Prompt is too long"}));
  EXPECT_FALSE(is_too_long(http(400, "temperature must be at most 2")));
}

TEST(ModelFailure, IsTransientIfTheSameRequestMaySucceedInAMoment) {
  const auto says = [](const char* message) {
    return plugins::ModelError{.code = Code::kUnavailable, .message = message};
  };
  EXPECT_TRUE(is_transient(http(529)));
  EXPECT_TRUE(is_transient(http(429)));
  EXPECT_TRUE(is_transient(says("Our servers are busy (server_is_overloaded)")));
  EXPECT_TRUE(is_transient(says("Slow down (rate_limit_exceeded)")));
  EXPECT_FALSE(is_transient(http(400, "overloaded")));
  EXPECT_FALSE(is_transient(http(429, "You exceeded your current quota")));
  EXPECT_FALSE(is_transient(says("no such model")));
}

TEST(ModelFailure, NamesEveryModelThatFailedAndWhatToDo) {
  const Candidate last{.model = nullptr, .provider = "b", .name = "m2", .rates = {}};
  const Error error = model_failure({{"a", "m1", "HTTP 503: overloaded"}}, last,
                                    {.code = Code::kUnavailable, .message = {}});
  EXPECT_EQ(error.message, "a/m1: HTTP 503: overloaded; b/m2: failed without a reason");
  EXPECT_EQ(error.tag, "AgentError");
}

TEST(ModelFailure, KeepsTheHintOfItsCause) {
  Candidate candidate;
  candidate.provider = "a";
  const plugins::ModelError tls{
      .code = Code::kUnavailable, .message = "self-signed", .hint = "set SSL_CERT_FILE"};
  EXPECT_EQ(model_failure({}, candidate, tls).hint, "set SSL_CERT_FILE");
  EXPECT_THAT(model_failure({}, candidate, http(404)).hint, ::testing::HasSubstr("base_url"));
}

TEST(ModelFailure, SaysWhenToAskAgainIfTheProviderDoes) {
  auto busy = http(429);
  busy.retry_after_ms = 59'001;
  EXPECT_EQ(model_failure({}, {}, busy).hint, "Ask again in 60 s, or choose another model.");
}

TEST(ModelFailure, SilenceIsATimeOut) {
  const auto error = model_failure({}, {}, {.code = Code::kDeadlineExceeded, .message = "silent"});
  EXPECT_EQ(error.tag, "TimeoutError");
}

}  // namespace
}  // namespace quarry::ask
