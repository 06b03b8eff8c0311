#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/transport.h>

#include <functional>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct TransportScript {
  std::function<void(const quarry_reply*)> start = [](auto* reply) {
    say(reply, R"({"listening":["http://127.0.0.1:1"]})");
  };
  std::vector<std::int64_t> stops;
};

constexpr quarry_transport_v1 kTransportTable{
    .struct_size = sizeof(quarry_transport_v1),
    .start = [](void* self, const quarry_call*, const quarry_engine*,
                const quarry_reply* reply) { static_cast<TransportScript*>(self)->start(reply); },
    .stop =
        [](void* self, std::int64_t grace_ms) {
          static_cast<TransportScript*>(self)->stops.push_back(grace_ms);
        }};

class TransportTable : public ::testing::Test {
 protected:
  std::shared_ptr<Transport> transport() {
    return adapt_transport(*make_instance(component_, &script_)).value();
  }

  TransportScript script_;
  quarry_component component_ = scripted_component(QUARRY_TRANSPORT, &kTransportTable);
  quarry_engine engine_{};
};

TEST_F(TransportTable, StopsOnceWithItsGrace) {
  const auto served = transport();
  EXPECT_THAT(served->start(&engine_).value(), ElementsAre("http://127.0.0.1:1"));
  EXPECT_TRUE(served->stop(std::chrono::milliseconds(250)));
  EXPECT_TRUE(served->stop(std::chrono::milliseconds(250)));
  EXPECT_THAT(script_.stops, ElementsAre(250));
}

TEST_F(TransportTable, IsStoppedWhenItGoes) {
  ASSERT_TRUE(transport()->start(&engine_));
  EXPECT_THAT(script_.stops, ElementsAre(0));
}

TEST_F(TransportTable, OneThatNeverStartedIsNotStopped) {
  script_.start = [](auto* reply) { say_failure(reply, QUARRY_UNAVAILABLE, "port 1 is in use"); };
  const auto served = transport();
  const auto started = served->start(&engine_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "port 1 is in use");
  EXPECT_TRUE(served->stop(std::chrono::milliseconds(0)));
  EXPECT_TRUE(script_.stops.empty());
}

TEST_F(TransportTable, OneThatStartedAndAnswersGarbageIsStopped) {
  for (const auto* said : {"{oops", R"({"listening":"here"})"}) {
    script_.stops.clear();
    script_.start = [&](auto* reply) { say(reply, said); };
    EXPECT_THAT(fault(transport()->start(&engine_)), HasSubstr("the plugin's reply"));
    EXPECT_THAT(script_.stops, ElementsAre(0));
  }
}

TEST_F(TransportTable, OneWithoutAnOutcomeIsItsFault) {
  script_.start = [](auto*) {};
  EXPECT_THAT(fault(transport()->start(&engine_)), HasSubstr("without an outcome"));
}

}  // namespace
}  // namespace quarry::plugins
