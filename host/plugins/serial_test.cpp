#include "base/testing/waiting.h"
#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/pricing.h>

#include <barrier>
#include <chrono>
#include <thread>

namespace quarry::plugins {
namespace {

constexpr int kThreads = 4;
constexpr int kCalls = 200;

/// Calls refresh from several threads at once.
void refresh_from_everywhere(const quarry_component& component, void* context, int calls) {
  const auto catalogue = adapt_pricing(*make_instance(component, context)).value();
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < calls; ++call) EXPECT_TRUE(catalogue->refresh({}));
    });
  }
}

TEST(SerialComponent, IsCalledOneAtATime) {
  int calls = 0;  // unguarded on purpose
  const quarry_pricing_v1 table{
      .struct_size = sizeof(quarry_pricing_v1),
      .rates = [](void*, const quarry_call*, quarry_text, quarry_text, const quarry_reply*) {},
      .refresh =
          [](void* self, const quarry_call*, const quarry_reply* reply) {
            ++*static_cast<int*>(self);
            say(reply, "{}");
          }};
  const auto component = scripted_component(QUARRY_PRICING, &table, QUARRY_SERIAL);
  refresh_from_everywhere(component, &calls, kCalls);
  EXPECT_EQ(calls, kThreads * kCalls);
}

TEST(OtherComponent, IsCalledByAllAtOnce) {
  std::barrier everybody(kThreads);  // passed only when all threads are inside
  const quarry_pricing_v1 table{
      .struct_size = sizeof(quarry_pricing_v1),
      .rates = [](void*, const quarry_call*, quarry_text, quarry_text, const quarry_reply*) {},
      .refresh =
          [](void* self, const quarry_call*, const quarry_reply* reply) {
            static_cast<std::barrier<>*>(self)->arrive_and_wait();
            say(reply, "{}");
          }};
  const auto component = scripted_component(QUARRY_PRICING, &table);
  refresh_from_everywhere(component, &everybody, 1);
}

TEST(Cancelling, ReachesAPluginThatIsWorking) {
  std::stop_source stop;
  const quarry_pricing_v1 table{
      .struct_size = sizeof(quarry_pricing_v1),
      .rates = [](void*, const quarry_call*, quarry_text, quarry_text, const quarry_reply*) {},
      .refresh =
          [](void* self, const quarry_call* call, const quarry_reply* reply) {
            static_cast<std::barrier<>*>(self)->arrive_and_wait();
            wait_until([&] { return call->state(call) != QUARRY_OK; });
            say_failure(reply, call->state(call), "stopped");
          }};
  std::barrier working(2);
  const auto component = scripted_component(QUARRY_PRICING, &table);
  const auto catalogue = adapt_pricing(*make_instance(component, &working)).value();
  const std::jthread canceller([&] {
    working.arrive_and_wait();
    stop.request_stop();
  });
  const auto refreshed = catalogue->refresh({.stop = stop.get_token()});
  ASSERT_FALSE(refreshed);
  EXPECT_EQ(refreshed.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace quarry::plugins
