#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/model.h>

#include <functional>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Events = std::vector<std::string>;

/// A scripted provider of the generate form.
struct ModelScript {
  std::function<void(const quarry_reply*)> describe = [](auto* reply) {
    say(reply, R"({"title":"Scripted","needs":["KEY"],"local":true,"schema":{"type":"object"}})");
  };
  std::function<void(const quarry_call*, const quarry_model_sink*)> step;
  std::function<void(const quarry_reply*)> models;
};

constexpr quarry_model_v1 kModelTable{
    .struct_size = sizeof(quarry_model_v1),
    .describe = [](void* self, const quarry_call*,
                   const quarry_reply* reply) { static_cast<ModelScript*>(self)->describe(reply); },
    .generate =
        [](void* self, const quarry_call* call, quarry_text, const quarry_model_sink* sink) {
          static_cast<ModelScript*>(self)->step(call, sink);
        },
    .begin = nullptr,
    .request = nullptr,
    .head = nullptr,
    .data = nullptr,
    .end = nullptr,
    .destroy_exchange = nullptr,
    .models = [](void* self, const quarry_call*,
                 const quarry_reply* reply) { static_cast<ModelScript*>(self)->models(reply); }};

class GeneratingModel : public ::testing::Test {
 protected:
  std::shared_ptr<ModelProvider> provider(const quarry_model_v1* table = &kModelTable) {
    component_ = scripted_component(QUARRY_MODEL, table);
    return adapt_model(*make_instance(component_, &script_)).value();
  }
  Events run(std::function<void(const quarry_model_sink*)> step) {
    script_.step = [step = std::move(step)](auto*, auto* sink) { step(sink); };
    provider()->generate({}, "{}", sink_);
    return sink_.events;
  }
  void generate(const services::Call& call,
                std::function<void(const quarry_call*, const quarry_model_sink*)> step) {
    script_.step = std::move(step);
    provider()->generate(call, "{}", sink_);
  }

  ModelScript script_;
  quarry_component component_{};
  RecordedSink sink_;
};

void text(const quarry_model_sink* sink, std::string_view delta) {
  sink->text(sink, as_text(delta));
}
void finish(const quarry_model_sink* sink) {
  sink->finish(sink, QUARRY_FINISH_STOP);
}

TEST_F(GeneratingModel, DescribesItself) {
  const auto model = provider();
  EXPECT_EQ(model->form(), ModelProvider::Form::kGenerate);
  EXPECT_EQ(model->describe().title, "Scripted");
  EXPECT_THAT(model->describe().needs, ElementsAre("KEY"));
  EXPECT_TRUE(model->describe().local);
  EXPECT_EQ(model->describe().vendor, "");
  EXPECT_EQ(model->describe().endpoint, "");
  EXPECT_EQ(model->describe().default_model, "");
}

TEST_F(GeneratingModel, MaySayWhoBillsItWhereItIsAndWhichModelItPrefers) {
  script_.describe = [](auto* reply) {
    say(reply, R"({"title":"Acme","vendor":"acme","endpoint":"http://127.0.0.1:1/v1",
                 "defaultModel":"m1"})");
  };
  const auto model = provider();
  EXPECT_EQ(model->describe().vendor, "acme");
  EXPECT_EQ(model->describe().endpoint, "http://127.0.0.1:1/v1");
  EXPECT_EQ(model->describe().default_model, "m1");
}

TEST_F(GeneratingModel, WhatDescribesItselfInGarbageIsNotMade) {
  for (const auto* said :
       {"", "{oops", "[]", "7", "{}", R"({"title":7})", R"({"title":"T","needs":"KEY"})"}) {
    script_.describe = [&](auto* reply) { say(reply, said); };
    component_ = scripted_component(QUARRY_MODEL, &kModelTable);
    EXPECT_THAT(fault(adapt_model(*make_instance(component_, &script_))),
                HasSubstr("the plugin's reply"))
        << said;
  }
}

TEST_F(GeneratingModel, ASchemaWithAnUnsupportedKeywordIsNotUsed) {
  script_.describe = [](auto* reply) { say(reply, R"({"title":"T","schema":{"allOf":[]}})"); };
  component_ = scripted_component(QUARRY_MODEL, &kModelTable);
  const auto made = adapt_model(*make_instance(component_, &script_));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("at /allOf is not supported"));
}

TEST_F(GeneratingModel, EventsComeInOrder) {
  EXPECT_THAT(
      run([](auto* sink) {
        sink->reasoning(sink, as_text("hm"));
        text(sink, "yes");
        const quarry_usage usage{sizeof usage, 0, 10, 2, -1, -1, -1};
        sink->usage(sink, &usage);
        sink->keep(sink, as_text(R"({"signature":"x"})"));
        sink->finish(sink, QUARRY_FINISH_LENGTH);
      }),
      ElementsAre("think hm", "text yes", "usage 10 2", R"(keep {"signature":"x"})", "finish 1"));
}

TEST_F(GeneratingModel, ACharacterCutBetweenDeltasIsJoined) {
  EXPECT_THAT(run([](auto* sink) {
                text(sink, "a\xE2");
                text(sink, "\x82");
                sink->reasoning(sink, as_text("\xC3"));
                text(sink, "\xAC!");
                sink->reasoning(sink, as_text("\xA9"));
                finish(sink);
              }),
              ElementsAre("text a", "text €!", "think é", "finish 0"));
}

TEST_F(GeneratingModel, ACharacterThatNeverBecomesWholeIsReplaced) {
  EXPECT_THAT(run([](auto* sink) {
                text(sink, "a\xF0\x9F\x98");
                sink->reasoning(sink, as_text("\xC3"));
                finish(sink);
              }),
              ElementsAre("text a", "text \uFFFD", "think \uFFFD", "finish 0"));
}

TEST_F(GeneratingModel, BytesThatAreNoTextAreReplaced) {
  EXPECT_THAT(run([](auto* sink) {
                text(sink, "a\xFF\x80z");
                finish(sink);
              }),
              ElementsAre("text a\uFFFD\uFFFDz", "finish 0"));
}

TEST_F(GeneratingModel, PartsOfToolCallsInterleave) {
  const auto part = [](auto* sink, std::uint32_t index, const char* id, const char* arguments) {
    sink->tool_call(sink, index, as_text(id), as_text("grep"), as_text(arguments));
  };
  EXPECT_THAT(run([&](auto* sink) {
                part(sink, 0, "a", R"({"pat)");
                part(sink, 1, "b", "{}");
                part(sink, 0, "", R"(tern":"x"})");
                sink->finish(sink, QUARRY_FINISH_TOOL_CALLS);
              }),
              ElementsAre(R"(call 0|a|grep|{"pat)", "call 1|b|grep|{}",
                          R"(call 0||grep|tern":"x"})", "finish 2"));
}

TEST_F(GeneratingModel, AStepWithoutAnEndIsTheProvidersFault) {
  EXPECT_THAT(run([](auto* sink) { text(sink, "half"); }),
              ElementsAre("text half",
                          "error scripted (org.example.scripted): the provider ended without a "
                          "finish or an error"));
  EXPECT_EQ(sink_.last_error.code, Code::kInternal);
}

TEST_F(GeneratingModel, NothingFollowsTheEnd) {
  EXPECT_THAT(run([](auto* sink) {
                finish(sink);
                finish(sink);
                EXPECT_EQ(sink->text(sink, as_text("late")), QUARRY_CANCELLED);
                EXPECT_EQ(sink->reasoning(sink, as_text("late")), QUARRY_CANCELLED);
                EXPECT_EQ(sink->keep(sink, as_text("{}")), QUARRY_CANCELLED);
                EXPECT_EQ(sink->usage(sink, nullptr), QUARRY_CANCELLED);
                EXPECT_EQ(sink->tool_call(sink, 0, {}, {}, {}), QUARRY_CANCELLED);
                sink->error(sink, nullptr);
              }),
              ElementsAre("finish 0"));
}

TEST_F(GeneratingModel, AReaderThatLeftIsToldToTheProvider) {
  sink_.wanted = false;
  run([](auto* sink) {
    EXPECT_EQ(sink->text(sink, as_text("a")), QUARRY_CANCELLED);
    finish(sink);
  });
}

TEST_F(GeneratingModel, WhatTheSinkCannotReadEndsTheStep) {
  using Wrong = std::function<void(const quarry_model_sink*)>;
  const quarry_usage short_usage{8, 0, 1, 1, 1, 1, 1};
  const quarry_model_error short_error{4, QUARRY_UNAVAILABLE, 0, 0, {nullptr, 0}};
  const std::pair<const char*, Wrong> wrongs[] = {
      {"usage", [&](auto* sink) { sink->usage(sink, &short_usage); }},
      {"usage", [](auto* sink) { sink->usage(sink, nullptr); }},
      {"keep", [](auto* sink) { sink->keep(sink, as_text("{oops")); }},
      {"keep", [](auto* sink) { sink->keep(sink, as_text(std::string((1u << 20) + 1, ' '))); }},
      {"too many tool calls", [](auto* sink) { sink->tool_call(sink, 128, {}, {}, {}); }},
      {"without an error", [&](auto* sink) { sink->error(sink, &short_error); }},
      {"without an error", [](auto* sink) { sink->error(sink, nullptr); }}};
  for (const auto& [words, wrong] : wrongs) {
    sink_ = {};
    const auto events = run([&, act = wrong](auto* sink) {
      act(sink);
      finish(sink);
    });
    ASSERT_EQ(events.size(), 1u) << words;
    EXPECT_THAT(events.front(),
                ::testing::AllOf(HasSubstr("org.example.scripted"), HasSubstr(words)));
  }
}

TEST_F(GeneratingModel, AnErrorKeepsWhatTheProviderSaid) {
  run([](auto* sink) {
    const quarry_model_error error{sizeof error, QUARRY_UNAVAILABLE, 529, 1500,
                                   as_text("busy\xFF")};
    sink->error(sink, &error);
  });
  EXPECT_THAT(sink_.events, ElementsAre("error busy\uFFFD"));
  EXPECT_EQ(sink_.last_error.code, Code::kUnavailable);
  EXPECT_EQ(sink_.last_error.http_status, 529);
  EXPECT_EQ(sink_.last_error.retry_after_ms, 1500);
}

TEST_F(GeneratingModel, AnErrorMayBeOfTheLastStatus) {
  run([](auto* sink) {
    const quarry_model_error error{sizeof error, QUARRY_DATA_LOSS, 200, -1, as_text("damaged")};
    sink->error(sink, &error);
  });
  EXPECT_EQ(sink_.last_error.code, Code::kDataLoss);
}

TEST_F(GeneratingModel, AnUnknownStatusAndAnUnknownFinishHaveAMeaning) {
  run([](auto* sink) {
    const quarry_model_error error{sizeof error, 99, 0, -1, as_text("odd")};
    sink->error(sink, &error);
  });
  EXPECT_EQ(sink_.last_error.code, Code::kInternal);
  sink_ = {};
  EXPECT_THAT(run([](auto* sink) { sink->finish(sink, 99); }), ElementsAre("finish 0"));
}

TEST_F(GeneratingModel, EveryKnownStatusOfAnErrorIsPassedOn) {
  for (quarry_status status = QUARRY_INVALID_ARGUMENT; status <= QUARRY_DATA_LOSS; ++status) {
    run([status](auto* sink) {
      const quarry_model_error error{sizeof error, status, 0, -1, as_text("damaged")};
      sink->error(sink, &error);
    });
    EXPECT_EQ(static_cast<quarry_status>(sink_.last_error.code), status);
  }
}

TEST_F(GeneratingModel, ACancelledCallIsSeenByTheProviderAndIsNotItsFault) {
  std::stop_source stop;
  generate({.stop = stop.get_token()}, [&](auto* call, auto*) {
    EXPECT_EQ(call->state(call), QUARRY_OK);
    EXPECT_EQ(call->remaining_ms(call), INT64_MAX);
    stop.request_stop();
    EXPECT_EQ(call->state(call), QUARRY_CANCELLED);
  });
  EXPECT_EQ(sink_.last_error.code, Code::kCancelled);
}

TEST_F(GeneratingModel, ADeadlineThatPassedIsSeenByTheProviderAndIsNotItsFault) {
  const auto past = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  generate({.deadline = past}, [](auto* call, auto*) {
    EXPECT_EQ(call->state(call), QUARRY_DEADLINE_EXCEEDED);
    EXPECT_EQ(call->remaining_ms(call), 0);
  });
  EXPECT_EQ(sink_.last_error.code, Code::kDeadlineExceeded);
}

TEST_F(GeneratingModel, ProgressThatIsAnObjectIsHeard) {
  Events heard;
  generate({.progress = [&](auto json) { heard.emplace_back(json); }}, [](auto* call, auto* sink) {
    call->progress(call, as_text(R"({"done":1})"));
    call->progress(call, as_text("{oops"));
    call->progress(call, as_text("[]"));
    call->progress(call, as_text("{\"message\":\"" + std::string(5000, 'x') + "\"}"));
    finish(sink);
  });
  EXPECT_THAT(heard, ElementsAre(R"({"done":1})"));
}

TEST_F(GeneratingModel, HasNoExchange) {
  const auto begun = provider()->begin("{}");
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, Code::kUnsupported);
}

TEST_F(GeneratingModel, ModelsHaveIdsContextsAndMayNotCallTools) {
  script_.models = [](auto* reply) {
    say(reply, R"({"models":[{"id":"a","contextTokens":128000},{"id":"b","tools":false}]})");
  };
  const auto models = provider()->models({});
  ASSERT_TRUE(models);
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ(models->front().context_tokens, 128000);
  EXPECT_TRUE(models->front().calls_tools);
  EXPECT_EQ(models->back().id, "b");
  EXPECT_FALSE(models->back().calls_tools);
}

TEST_F(GeneratingModel, AnOlderTableHasNoModels) {
  auto older = kModelTable;
  older.struct_size = offsetof(quarry_model_v1, models);
  const auto models = provider(&older)->models({});
  ASSERT_FALSE(models);
  EXPECT_EQ(models.error().code, Code::kUnsupported);
}

TEST_F(GeneratingModel, ModelsInGarbageAreItsFault) {
  for (const auto* said : {"{oops", "[]", "{}", R"({"models":[7]})", R"({"models":[{"id":""}]})",
                           R"({"models":[{"id":"a","contextTokens":"many"}]})",
                           R"({"models":[{"id":"a","tools":"no"}]})"}) {
    script_.models = [&](auto* reply) { say(reply, said); };
    EXPECT_THAT(fault(provider()->models({})), HasSubstr("the plugin's reply")) << said;
  }
}

}  // namespace
}  // namespace quarry::plugins
