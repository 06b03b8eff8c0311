#include "cli/answer_printer.h"

#include "cli/exit_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

constexpr const char* kDone =
    R"({"type":"done","text":"hello","finishReason":"stop","steps":1,"citations":[]})";

/// Standard output for `events`, pairs of type and JSON.
std::string shown(AnswerPrinter::Style style,
                  const std::vector<std::pair<std::string, std::string>>& events,
                  std::optional<Error>* failure = nullptr) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Terminal terminal;
  AnswerPrinter printer(terminal, style);
  for (const auto& [type, json] : events) printer.show(type, json);
  if (failure != nullptr) *failure = printer.failure();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "")
      << "nothing if standard error is not a terminal";
  return ::testing::internal::GetCapturedStdout();
}

TEST(AnswerPrinter, PrintsTheTextAsItComesAndEndsTheLine) {
  EXPECT_EQ(shown({}, {{"meta", R"({"type":"meta"})"},
                       {"text.delta", R"({"type":"text.delta","delta":"hel"})"},
                       {"tool.updated", R"({"tool":"grep","state":{"status":"running"}})"},
                       {"text.delta", R"({"type":"text.delta","delta":"lo"})"},
                       {"done", kDone}}),
            "hello\n");
}

TEST(AnswerPrinter, PrintsOneEventALineAsJson) {
  EXPECT_EQ(shown({.json = true}, {{"resource.progress", R"({"type":"resource.progress"})"},
                                   {"meta", R"({"type":"meta"})"},
                                   {"citation", R"({"type":"citation"})"},
                                   {"done", kDone}}),
            std::string(R"({"type":"resource.progress"})") + "\n" + R"({"type":"meta"})" + "\n" +
                kDone + "\n");
}

TEST(AnswerPrinter, KeepsTheFailureForTheCaller) {
  std::optional<Error> failure;
  shown({}, {{"error", R"({"type":"error","tag":"AgentError","message":"no","hint":"try"})"}},
        &failure);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "no");
  EXPECT_EQ(failure->hint, "try");
}

TEST(AnswerPrinter, ALimitWithoutAnAnswerIsAFailure) {
  const auto failure_of = [](const char* done) {
    std::optional<Error> failure;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Terminal terminal;
    AnswerPrinter printer(terminal, {});
    printer.show("done", done);
    failure = printer.failure();
    static_cast<void>(::testing::internal::GetCapturedStdout());
    static_cast<void>(::testing::internal::GetCapturedStderr());
    return failure ? failure->message : "";
  };
  EXPECT_EQ(failure_of(R"({"type":"done","text":"","finishReason":"maxCost","steps":0})"),
            "the question reached its limit (maxCost) before an answer");
  EXPECT_EQ(failure_of(R"({"type":"done","text":"part","finishReason":"maxCost","steps":1})"), "");
  EXPECT_EQ(failure_of(R"({"type":"done","text":"","finishReason":"length","steps":1})"),
            "the question reached the model's limit of output before an answer");
  EXPECT_EQ(failure_of(R"({"type":"done","text":"","finishReason":"contentFilter","steps":1})"),
            "the question was stopped by the provider's filter before an answer");
  EXPECT_EQ(failure_of(R"({"type":"done","text":"","finishReason":"stop","steps":1})"), "");
}

// agent0ai/agent-zero#1836, huggingface/chat-ui#2383, deepset-ai/haystack#4069,
// ra-jeev/write-assist-ai#32
TEST(AnswerPrinter, SaysThatAnAnswerIsCut) {
  const auto told = [](const std::string& reason, AnswerPrinter::Style style) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Terminal terminal;
    AnswerPrinter printer(terminal, style);
    printer.show("done", R"({"type":"done","text":"The po","finishReason":")" + reason + "\"}");
    EXPECT_EQ(printer.incomplete(), reason != "stop" && reason != "cancelled") << reason;
    EXPECT_FALSE(printer.failure());
    static_cast<void>(::testing::internal::GetCapturedStdout());
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(told("length", {}),
            "the answer is incomplete: it reached the model's limit of output\n");
  EXPECT_EQ(told("contentFilter", {.quiet = true}),
            "the answer is incomplete: it was stopped by the provider's filter\n");
  EXPECT_EQ(told("maxSeconds", {}),
            "the answer is incomplete: it reached its limit (maxSeconds)\n");
  EXPECT_EQ(told("length", {.json = true}), "") << "finishReason says it";
  EXPECT_EQ(told("stop", {}), "");
  EXPECT_EQ(told("cancelled", {}), "the answer is stopped\n");
}

TEST(ExitCode, FollowsTheTagThenTheCode) {
  const auto exit_of = [](const char* tag, Code code) {
    return static_cast<int>(exit_code_of(Error{code, "x"}.tagged(tag)));
  };
  EXPECT_EQ(exit_of("ConfigError", Code::kInvalidArgument), 3);
  EXPECT_EQ(exit_of("ProviderNotConnectedError", Code::kUnavailable), 3);
  EXPECT_EQ(exit_of("ProviderNotAuthenticatedError", Code::kUnauthenticated), 4);
  EXPECT_EQ(exit_of("AgentError", Code::kUnavailable), 5);
  EXPECT_EQ(exit_of("AgentError", Code::kResourceExhausted), 6);
  EXPECT_EQ(exit_of("RateLimitError", Code::kResourceExhausted), 6);
  EXPECT_EQ(exit_of("TimeoutError", Code::kInternal), 7);
  EXPECT_EQ(exit_of("", Code::kCancelled), 130);
  EXPECT_EQ(exit_of("CollectionError", Code::kNotFound), 1);
  Error unknown = Error{Code::kNotFound, "x"}.tagged("CollectionError");
  unknown.details = {{"/resources", "x"}};
  EXPECT_EQ(static_cast<int>(exit_code_of(unknown)), 3);
  EXPECT_EQ(exit_of("RequestError", Code::kInvalidArgument), 2);
}

TEST(ExitCode, ReadsErrorsFromTheWire) {
  const Error error = error_from_json(
      R"({"error":"bad","tag":"RateLimitError","hint":"wait","details":[{"field":"/q","message":"m"}]})");
  EXPECT_EQ(error.code, Code::kResourceExhausted);
  EXPECT_EQ(error.message, "bad");
  EXPECT_EQ(error.details.front().field, "/q");
  const Error told = error_from_json(R"({"message":"no","tag":"AgentError","code":"unavailable"})");
  EXPECT_EQ(told.code, Code::kUnavailable);
  EXPECT_EQ(error_from_json(R"({"message":"no","code":"of 2030"})").code, Code::kInternal);
  EXPECT_THAT(error_from_json("<html>").message, ::testing::HasSubstr("not a JSON object"));
}

TEST(ExitCode, ReadsErrorsOfOtherServersAsFarAsTheyAreAlike) {
  const Error error = error_from_json(
      R"({"tag":7,"message":null,"error":{"text":"no"},"hint":[],"code":1,"details":["d",{"field":1}]})");
  EXPECT_EQ(error.code, Code::kInternal);
  EXPECT_EQ(error.tag, "InternalError");
  EXPECT_EQ(error.message, "");
  ASSERT_EQ(error.details.size(), 1u);
  EXPECT_EQ(error.details[0].field, "");
}

}  // namespace
}  // namespace quarry::cli
