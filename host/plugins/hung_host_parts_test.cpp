#include "plugins/adapters.h"
#include "plugins/testing/hanging.h"

#include <quarry/draft/store.h>
#include <quarry/transport.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A transport and a store that hang.
struct HangingPart : Hanging {
  std::vector<std::int64_t> stops;
};

HangingPart& part_of(void* self) {
  return static_cast<HangingPart&>(Hanging::of(self));
}

constexpr quarry_transport_v1 kHungTransport{
    .struct_size = sizeof(quarry_transport_v1),
    .start =
        [](void* self, const quarry_call*, const quarry_engine*, const quarry_reply* reply) {
          part_of(self).hang_in("start");
          say(reply, R"({"listening":["http://127.0.0.1:1"]})");
        },
    .stop =
        [](void* self, std::int64_t grace_ms) {
          part_of(self).hang_in("stop");
          part_of(self).stops.push_back(grace_ms);
        }};

void hung_store(void* self, const quarry_call* call, quarry_text request,
                const quarry_reply* reply) {
  part_of(self).hang_in("store");
  part_of(self).late_state = call->state(call);
  say(reply, as_view(request).contains("\"name\"") ? R"({"removed":true})" : R"({"schema":1})");
}

constexpr quarry_store_v1 kHungStore{.struct_size = sizeof(quarry_store_v1),
                                     .open = hung_store,
                                     .key = hung_store,
                                     .create_project = hung_store,
                                     .projects = hung_store,
                                     .remove_project = hung_store,
                                     .create_token = hung_store,
                                     .tokens = hung_store,
                                     .find_token = hung_store,
                                     .revoke_token = hung_store,
                                     .resources = hung_store,
                                     .add_resource = hung_store,
                                     .remove_resource = hung_store,
                                     .exchange = hung_store,
                                     .reserve = hung_store,
                                     .settle = hung_store,
                                     .end_session = hung_store,
                                     .record = hung_store,
                                     .audit = hung_store,
                                     .forget = hung_store,
                                     .token_hashes = hung_store,
                                     .set_secret = nullptr,
                                     .secrets = nullptr,
                                     .remove_secret = nullptr,
                                     .schema = nullptr,
                                     .dump = nullptr,
                                     .load = nullptr};

constexpr quarry_component kHungTransportPart =
    hanging_component(QUARRY_TRANSPORT, &kHungTransport);
constexpr quarry_component kHungStorePart = hanging_component(QUARRY_STORE, &kHungStore);

class HungHostParts : public HungPlugin {
 protected:
  explicit HungHostParts(std::string_view kind = QUARRY_STORE) : HungPlugin(false, kind) {
    host_.context = &part_;
  }
  ~HungHostParts() override { release_part(); }
  std::shared_ptr<Store> store() { return adapt_store(instance(kHungStorePart).value()).value(); }
  void release_part() {
    if (!part_.released.try_wait()) part_.released.count_down();
    release();
  }

  HangingPart part_;
};

TEST_F(HungHostParts, OfAStoreCostTheirCallerAnErrorThatNamesComponentPluginAndFunction) {
  part_.hangs = "store";
  const auto kept = store();
  end_hung_calls(part_);
  const auto opened = kept->open({});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kUnavailable);
  EXPECT_THAT(opened.error().message,
              HasSubstr("scripted: plugin org.example.scripted did not return from open"));
  EXPECT_THAT(opened.error().hint, HasSubstr("disabled = [\"org.example.scripted\"] in [plugins]"))
      << "a store cannot be isolated";
}

TEST_F(HungHostParts, OfAStoreEndWithTheirCaller) {
  part_.hangs = "store";
  const auto found = store()->find_token(part_.until_it_hangs(), "");
  EXPECT_EQ(found.error().code, Code::kDeadlineExceeded);
  EXPECT_THAT(found.error().message, HasSubstr("from find_token"));
  release_part();
  EXPECT_EQ(part_.late_state, QUARRY_CANCELLED) << "it may use what it was lent";
}

TEST_F(HungHostParts, OfAStoreAreBounded) {
  part_.hangs = "store";
  const auto kept = store();
  for (int i = 0; i < 8; ++i) static_cast<void>(kept->find_token(part_.until_it_hangs(), ""));
  const auto refused = kept->find_token({}, "");
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("is not called: 8 of its calls were given up"));
}

TEST_F(HungHostParts, OfAStoreAreRefusedAtTheEndOfAShutdownAfterTheFirst) {
  const auto kept = store();
  abandoned_->give_up_all_at(std::chrono::steady_clock::now());
  EXPECT_TRUE(kept->open({})) << "it returns";
  part_.hangs = "store";
  static_cast<void>(kept->find_token(part_.until_it_hangs(), ""));
  EXPECT_THAT(kept->open({}).error().message, HasSubstr("is not called"));
}

class HungTransports : public HungHostParts {
 protected:
  HungTransports() : HungHostParts(QUARRY_TRANSPORT) {}
  std::shared_ptr<Transport> transport() {
    return adapt_transport(instance(kHungTransportPart).value()).value();
  }
  quarry_engine engine_{};
};

TEST_F(HungTransports, ThatDoNotStartFailWithAnErrorThatNamesPluginAndFunction) {
  part_.hangs = "start";
  const auto served = transport();
  end_hung_calls(part_);
  const auto started = served->start(&engine_);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message,
              HasSubstr("plugin org.example.scripted did not return from start"));
  EXPECT_THAT(started.error().hint, HasSubstr("disabled = [\"org.example.scripted\"]"));
  EXPECT_FALSE(served->stop(0ms)) << "it may still use the engine";
  release_part();
  EXPECT_THAT(part_.stops, ElementsAre(0)) << "it started late";
}

TEST_F(HungTransports, ThatDoNotStopSaySo) {
  const auto served = transport();
  ASSERT_TRUE(served->start(&engine_));
  part_.hangs = "stop";
  end_hung_calls(part_);
  const auto stopped = served->stop(1ms);
  ASSERT_FALSE(stopped);
  EXPECT_THAT(stopped.error().message, HasSubstr("did not return from stop"));
  EXPECT_FALSE(served->stop(1ms)) << "for ever";
  release_part();
  EXPECT_THAT(part_.stops, ElementsAre(1));
}

}  // namespace
}  // namespace quarry::plugins
