#include "authoring/trial_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::authoring {
namespace {

using ::testing::HasSubstr;

plugins::Manifest with_components(const std::vector<std::pair<std::string, std::string>>& each) {
  plugins::Manifest manifest;
  manifest.id = "org.example.some";
  for (const auto& [kind, name] : each) manifest.components.push_back({kind, name, ""});
  return manifest;
}

TEST(CalledFunction, IsOfTheComponentThatHasIt) {
  const auto manifest = with_components(
      {{"quarry.resource/1", "notes"}, {"quarry.model/1", "echo"}, {"quarry.pricing/1", "table"}});
  for (const auto& [function, arguments, component] :
       {std::tuple{"fetch", 1, "notes"}, {"generate", 1, "echo"}, {"rates", 2, "table"}}) {
    const auto found = trial_call(manifest, "", function,
                                  std::vector<std::string>(static_cast<std::size_t>(arguments)));
    ASSERT_TRUE(found) << function << found.error().message;
    EXPECT_EQ(found->component->name, component);
  }
}

TEST(CalledFunction, OfSeveralComponentsNeedsAChoice) {
  const auto manifest = with_components({{"quarry.model/1", "a"}, {"quarry.model/1", "b"}});
  const auto unclear = trial_call(manifest, "", "models", {});
  ASSERT_FALSE(unclear);
  EXPECT_THAT(unclear.error().hint, HasSubstr("--component: a, b"));
  EXPECT_EQ(trial_call(manifest, "b", "models", {})->component->name, "b");
  EXPECT_FALSE(trial_call(manifest, "c", "models", {}));
}

TEST(CalledFunction, ThatThereIsNotIsAnsweredWithThoseThatThereAre) {
  const auto missing = trial_call(with_components({{"quarry.pricing/1", "a"}}), "", "fetch", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().hint, "there are: refresh, rates PROVIDER MODEL");
  const auto none = trial_call(with_components({{"quarry.transport/1", "a"}}), "", "start", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kUnsupported);
  EXPECT_THAT(none.error().hint, HasSubstr("plugin_path"));
}

TEST(CalledFunction, TakesItsNumberOfArguments) {
  const auto manifest = with_components({{"quarry.pricing/1", "a"}});
  const auto few = trial_call(manifest, "", "rates", {"openai"});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().message, "rates takes 2 arguments, not 1");
  EXPECT_EQ(few.error().hint, "write rates PROVIDER MODEL");
  EXPECT_FALSE(trial_call(manifest, "", "refresh", {"more"}));
}

/// The value of a step in which `write` fills the sink.
Result<Json> value_after(const std::function<void(TrialSink&)>& write) {
  const services::Call call;
  const OnText ignore = [](std::string_view, bool) {};
  TrialSink sink(call, ignore);
  write(sink);
  return sink.value();
}

TEST(TrialSink, CollectsTextToolsAndUsage) {
  std::string seen;
  const services::Call call;
  const OnText on_text = [&](std::string_view text, bool reasoning) {
    seen += (reasoning ? "(" : "") + std::string(text) + (reasoning ? ")" : "");
  };
  TrialSink sink(call, on_text);
  EXPECT_TRUE(sink.text("Good "));
  EXPECT_TRUE(sink.reasoning("hm"));
  EXPECT_TRUE(sink.text("day"));
  EXPECT_TRUE(sink.tool_call(0, "id", "grep", "{}"));
  EXPECT_TRUE(sink.tool_call(0, "", "", "more"));
  EXPECT_TRUE(sink.usage({.input = 7, .output = 2}));
  sink.finish(plugins::Finish::kToolCalls);
  EXPECT_EQ(seen, "Good (hm)day");
  EXPECT_EQ(*sink.value(), (Json{{"text", "Good day"},
                                 {"finish", "tool_calls"},
                                 {"toolCalls", {"grep"}},
                                 {"usage", {{"input", 7}, {"output", 2}}}}));
}

TEST(TrialSink, TellsErrorsAndAMissingEnd) {
  const auto failed = value_after([](TrialSink& sink) {
    sink.error({.code = Code::kUnavailable, .http_status = 503, .message = "busy"});
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kUnavailable);
  EXPECT_EQ(failed.error().message, "busy (status 503)");
  const auto endless = value_after([](TrialSink& sink) { sink.text("x"); });
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message, HasSubstr("neither a finish nor an error"));
}

TEST(TrialSink, WantsNothingOnceTheCallIsOver) {
  const services::Call call{.state = [] { return Code::kCancelled; }};
  const OnText ignore = [](std::string_view, bool) {};
  TrialSink sink(call, ignore);
  EXPECT_FALSE(sink.text("x"));
  EXPECT_FALSE(sink.reasoning("x"));
  EXPECT_FALSE(sink.keep("{}"));
}

}  // namespace
}  // namespace quarry::authoring
