#include "plugins/adapters.h"
#include "plugins/testing/hanging.h"

#include <quarry/model.h>

#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A provider of the exchange form whose exchange is its instance, and its destruction counted.
struct HangingProvider : Hanging {
  std::atomic<int> destroyed_exchanges = 0;
  std::atomic<int> calls = 0;
  std::thread::id data_thread;
};

HangingProvider& provider_of(void* self) {
  return static_cast<HangingProvider&>(Hanging::of(self));
}
HangingProvider& provider_of(quarry_exchange* exchange) {
  return *reinterpret_cast<HangingProvider*>(exchange);
}

constexpr quarry_http_request kHungRequest{sizeof(quarry_http_request),
                                           0,
                                           {"POST", 4},
                                           {"https://a.example", 17},
                                           nullptr,
                                           {nullptr, 0},
                                           0,
                                           -1,
                                           0};

void hung_text(HangingProvider& provider, const char* function, const quarry_model_sink* sink) {
  ++provider.calls;
  provider.hang_in(function);
  provider.late_status = sink->text(sink, as_text(function));
}

constexpr quarry_model_v1 kHungExchange{
    .struct_size = sizeof(quarry_model_v1),
    .describe =
        [](void*, const quarry_call*, const quarry_reply* reply) {
          say(reply, R"({"title":"T","endpoint":"https://a.example"})");
        },
    .generate = nullptr,
    .begin =
        [](void* self, const quarry_call*, quarry_text, quarry_exchange** exchange,
           const quarry_reply* reply) {
          provider_of(self).hang_in("begin");
          *exchange = reinterpret_cast<quarry_exchange*>(&provider_of(self));
          say(reply, "{}");
        },
    .request =
        [](quarry_exchange* exchange) {
          provider_of(exchange).hang_in("request");
          return &kHungRequest;
        },
    .head = [](quarry_exchange* exchange, std::int32_t, std::uint32_t, const quarry_header* const*,
               const quarry_model_sink* sink) { hung_text(provider_of(exchange), "head", sink); },
    .data =
        [](quarry_exchange* exchange, quarry_text, const quarry_model_sink* sink) {
          provider_of(exchange).data_thread = std::this_thread::get_id();
          hung_text(provider_of(exchange), "data", sink);
        },
    .end =
        [](quarry_exchange* exchange, quarry_end, const quarry_model_sink* sink) {
          hung_text(provider_of(exchange), "end", sink);
          sink->finish(sink, QUARRY_FINISH_STOP);
        },
    .destroy_exchange =
        [](quarry_exchange* exchange) {
          provider_of(exchange).hang_in("destroy_exchange");
          ++provider_of(exchange).destroyed_exchanges;
        },
    .models = nullptr};

constexpr quarry_component kHungProvider = hanging_component(QUARRY_MODEL, &kHungExchange);

class HungExchanges : public HungPlugin {
 protected:
  explicit HungExchanges(bool own = false) : HungPlugin(own) { host_.context = &provider_; }
  ~HungExchanges() override { release_provider(); }

  std::shared_ptr<ModelProvider> provider() {
    return adapt_model(instance(kHungProvider).value()).value();
  }
  /// A whole step, as far as it comes.
  void step() { step_of(*provider()); }
  /// The same; the call that hangs is over at once.
  void step_that_ends_soon() {
    end_hung_calls(provider_);
    step();
  }
  void step_of(ModelProvider& made) {
    auto exchange = made.begin("{}");
    const auto request = exchange ? (*exchange)->request() : exchange.error();
    if (!request)
      return sink_.error({.code = request.error().code, .message = request.error().message});
    (*exchange)->head(200, {}, sink_);
    (*exchange)->data("a", sink_);
    (*exchange)->end(true, sink_);
  }
  void release_provider() {
    if (!provider_.released.try_wait()) provider_.released.count_down();
    release();
  }

  HangingProvider provider_;
  RecordedSink sink_;
};

class EachHungExchange : public HungExchanges, public ::testing::WithParamInterface<const char*> {};

TEST_P(EachHungExchange, EndsItsStepWithOneErrorThatNamesPluginAndFunction) {
  provider_.hangs = GetParam();
  step_that_ends_soon();
  ASSERT_FALSE(sink_.events.empty());
  EXPECT_THAT(sink_.events.back(),
              AllOf(HasSubstr("error plugin org.example.scripted did not return from"),
                    HasSubstr(GetParam())));
  EXPECT_THAT(sink_.events, ::testing::Contains(HasSubstr("error")).Times(1));
  EXPECT_EQ(provider_.destroyed_exchanges, 0) << "its function runs";
  const auto told = sink_.events;
  release_provider();
  EXPECT_EQ(sink_.events, told) << "nothing comes of it";
  EXPECT_EQ(provider_.destroyed_exchanges, 1);
}

INSTANTIATE_TEST_SUITE_P(Functions, EachHungExchange,
                         ::testing::Values("begin", "request", "head", "data", "end"));

TEST_F(HungExchanges, AreNotCalledAgain) {
  provider_.hangs = "head";
  step_that_ends_soon();
  EXPECT_EQ(provider_.calls, 1);
  release_provider();
  EXPECT_EQ(provider_.calls, 1);
  EXPECT_EQ(provider_.late_status, QUARRY_CANCELLED);
}

TEST_F(HungExchanges, InTheirDestructionDoNotKeepTheStep) {
  provider_.hangs = "destroy_exchange";
  step_that_ends_soon();
  EXPECT_THAT(sink_.events, ElementsAre("text head", "text data", "text end", "finish 0"));
  EXPECT_THAT(abandoned_->rows(), SizeIs(1));
}

TEST_F(HungExchanges, AreGivenUpAfterASecondAndTheGrace) {
  provider_.hangs = "data";
  const auto begun = std::chrono::steady_clock::now();
  step();
  EXPECT_GE(std::chrono::steady_clock::now() - begun, function::kData.limit);
  EXPECT_EQ(sink_.last_error.code, Code::kDeadlineExceeded);
}

TEST_F(HungExchanges, LeaveTheCallingThreadIfTheirPluginDidNotComeWithTheHost) {
  EXPECT_FALSE(provider()->is_called_at_once());
  step();
  EXPECT_NE(provider_.data_thread, std::this_thread::get_id());
  EXPECT_THAT(sink_.events, ElementsAre("text head", "text data", "text end", "finish 0"));
  EXPECT_EQ(provider_.destroyed_exchanges, 1);
}

class OwnExchanges : public HungExchanges {
 protected:
  OwnExchanges() : HungExchanges(true) {}
};

TEST_F(OwnExchanges, StayOnTheCallingThread) {
  EXPECT_TRUE(provider()->is_called_at_once());
  step();
  EXPECT_EQ(provider_.data_thread, std::this_thread::get_id());
}

}  // namespace
}  // namespace quarry::plugins
