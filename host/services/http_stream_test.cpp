#include "base/testing/waiting.h"
#include "services/testing/scripted_server.h"

#include <algorithm>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::services::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\n\r\n";

/// Sends a head and "x", then nothing until the client disconnects.
void stall(Peer& peer) {
  peer.request();
  peer.write(std::string(kHead) + "x");
  peer.wait_until_closed();
}

TEST(HttpStream, CancelClosesTheConnectionBeforeAnyLimit) {
  std::promise<void> begun;
  std::promise<void> closed;
  ScriptedServer server([&](Peer& peer) {
    stall(peer);
    closed.set_value();
  });
  ClientHost host;
  Received got;
  auto callbacks = ClientHost::into(got);
  callbacks.on_data = [&](std::string_view) { begun.set_value(); };
  const auto handle = host.client().start({.url = server.url()}, callbacks, {.idle = 1h});
  begun.get_future().wait();
  host.client().cancel(handle);
  closed.get_future().wait();
  EXPECT_EQ(got.ended.get_future().get().error().code, Code::kCancelled);
}

TEST(HttpStream, CancelWithinACallbackIsTheLastOfThem) {
  ScriptedServer server([](Peer& peer) {
    peer.request();
    peer.write(kHead);
    while (peer.write(std::string(1000, 'x'))) continue;
  });
  ClientHost host;
  std::atomic<int> calls = 0;
  Received got;
  std::promise<HttpClient::Handle> begun;
  auto handle = begun.get_future().share();
  auto callbacks = ClientHost::into(got);
  callbacks.on_data = [&](std::string_view) {
    ++calls;
    host.client().cancel(handle.get());
  };
  begun.set_value(host.client().start({.url = server.url()}, callbacks));
  EXPECT_EQ(got.ended.get_future().get().error().code, Code::kCancelled);
  EXPECT_EQ(calls, 1);
}

TEST(HttpStream, CancelEndsTheFetchOfASecret) {
  ClientHost host;
  Received got;
  const auto handle = host.client().start(
      {.url = "http://127.0.0.1:1/", .headers = {{"X-Key", "", "slow"}}}, ClientHost::into(got));
  host.client().cancel(handle);
  EXPECT_EQ(got.ended.get_future().get().error().code, Code::kCancelled);
  host.client().cancel(handle);
}

/// True if a transfer that was paused for longer than the idle limit continues. False if it was
/// idle for so long before or after the pause.
bool continues_after_a_pause(std::chrono::milliseconds idle) {
  constexpr std::size_t kSize = 32 << 20;
  std::promise<void> pausing_or_ended;
  const std::string large = ok(std::string(kSize, 'x')), small = ok("small");
  ScriptedServer server([&](Peer& peer) {
    while (const auto request = peer.request()) {
      const bool is_large = request->find("/large") != request->npos;
      peer.write(is_large ? std::string_view(large) : small);  // a copy would take the idle time
    }
  });
  ClientHost host;
  std::atomic<std::size_t> size = 0;
  std::atomic<HttpClient::Handle> handle = 0;
  Received got;
  auto callbacks = ClientHost::into(got);
  callbacks.on_data = [&](std::string_view bytes) {
    if (size == 0) {
      host.client().pause(handle);
      pausing_or_ended.set_value();
    }
    size += bytes.size();
  };
  callbacks.on_end = [&](Result<HttpOutcome> outcome) {
    if (size == 0) pausing_or_ended.set_value();
    got.ended.set_value(std::move(outcome));
  };
  std::promise<void> started;
  callbacks.on_head = [&, go = started.get_future().share()](const HttpHead&) { go.wait(); };
  handle = host.client().start({.url = server.url("/large")}, callbacks, {.idle = idle});
  started.set_value();
  pausing_or_ended.get_future().wait();
  ScriptedServer silent(stall);
  EXPECT_FALSE(host.fetch({.url = silent.url()}, {.idle = 2 * idle}));  // outlives the idle limit
  EXPECT_LT(size, 1u << 20);
  EXPECT_TRUE(host.fetch({.url = server.url("/small")}));
  host.client().resume(handle);
  const bool ended_well = got.ended.get_future().get().has_value();
  EXPECT_TRUE(!ended_well || size == kSize);
  return ended_well;
}

TEST(HttpStream, APausedTransferHoldsBackTheServer) {
  EXPECT_TRUE(succeeds_with_some_limit(200ms, continues_after_a_pause));
}

TEST(HttpStream, CarriesTwoHundredAtOnce) {
  constexpr int kStreams = 200, kParts = 20;
  std::latch all(kStreams);
  ScriptedServer server([&](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    all.arrive_and_wait();
    for (int i = 0; i < kParts; ++i) peer.write("4\r\npart\r\n");
    peer.write("0\r\n\r\n");
  });
  ClientHost host;
  std::vector<Received> received(kStreams);
  for (Received& one : received) host.client().start({.url = server.url()}, ClientHost::into(one));
  for (Received& one : received) {
    EXPECT_TRUE(one.ended.get_future().get());
    EXPECT_EQ(one.body.size(), 4u * kParts);
  }
  EXPECT_EQ(server.connections(), kStreams);
}

TEST(HttpStream, EachHasTimeLimitsOfItsOwn) {
  ScriptedServer server(stall);
  ClientHost host;
  Received patient, silent, slow;
  const auto first = host.client().start({.url = server.url()}, ClientHost::into(patient));
  const auto idle = host.fetch({.url = server.url()}, silent, {.idle = 300ms});
  EXPECT_THAT(idle.error().message, HasSubstr("sent nothing for 300 ms"));
  const auto total = host.fetch({.url = server.url()}, slow, {.total = 200ms});
  EXPECT_THAT(total.error().message, HasSubstr("took longer than 200 ms"));
  host.client().cancel(first);
  EXPECT_EQ(patient.ended.get_future().get().error().code, Code::kCancelled);
}

TEST(HttpStream, SendsTheRestOfARequestWhoseResponseHasBegun) {
  const std::string body(8 << 20, 'b');
  ScriptedServer server([&](Peer& peer) {
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    const auto request = peer.request();
    peer.write(request && request->ends_with(body) ? "whole" : "torn!");
  });
  ClientHost host;
  Received got;
  ASSERT_TRUE(host.fetch({.method = "POST", .url = server.url(), .body = body}, got));
  EXPECT_EQ(got.body, "whole");
}

TEST(HttpStream, StartsAnotherRequestFromACallback) {
  ScriptedServer server([](Peer& peer) {
    while (peer.request()) peer.write(ok("x"));
  });
  ClientHost host;
  Received first, second;
  auto callbacks = ClientHost::into(first);
  callbacks.on_data = [&](std::string_view) {
    host.client().start({.url = server.url()}, ClientHost::into(second));
  };
  host.client().start({.url = server.url()}, callbacks);
  EXPECT_TRUE(first.ended.get_future().get());
  EXPECT_TRUE(second.ended.get_future().get());
}

TEST(HttpStream, ADestroyedClientCallsNobody) {
  std::promise<void> begun;
  ScriptedServer server(stall);
  std::atomic<bool> called = false;
  {
    ClientHost host;
    host.client().start({.url = server.url()}, {.on_head = nullptr,
                                                .on_data = [&](auto) { begun.set_value(); },
                                                .on_end = [&](auto) { called = true; }});
    begun.get_future().wait();
  }
  EXPECT_FALSE(called);
}

TEST(HttpSend, HandsEverythingToTheCaller) {
  constexpr std::size_t kSize = 8 << 20;
  ScriptedServer server([](Peer& peer) {
    while (peer.request()) peer.write(ok(std::string(kSize, 'x')));
  });
  ClientHost host;
  const auto caller = std::this_thread::get_id();
  std::size_t size = 0, largest = 0;
  int status = 0;
  const auto outcome = host.client().send({}, {.url = server.url()},
                                          {[&](const HttpHead& head) {
                                             status = head.status;
                                             EXPECT_EQ(std::this_thread::get_id(), caller);
                                             return Status{};
                                           },
                                           [&](std::string_view bytes) {
                                             size += bytes.size();
                                             largest = std::max(largest, bytes.size());
                                             return Status{};
                                           }});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(status, 200);
  EXPECT_EQ(size, kSize);
  EXPECT_LT(largest, 600u << 10);
}

TEST(HttpSend, EndsWithItsSinkAndItsCall) {
  ScriptedServer server(stall);
  ClientHost host;
  std::stop_source source;
  Call call;
  call.stop = source.get_token();
  HttpSink refusing;
  refusing.data = [](std::string_view) -> Status { return Error{Code::kUnsupported, "no"}; };
  EXPECT_EQ(host.client().send(call, {.url = server.url()}, refusing).error().code,
            Code::kUnsupported);
  HttpSink stopping;
  stopping.data = [&](std::string_view) {
    source.request_stop();
    return Status{};
  };
  EXPECT_EQ(host.client().send(call, {.url = server.url()}, stopping).error().code,
            Code::kCancelled);
  EXPECT_EQ(host.client().send(call, {.url = server.url()}, {}).error().code, Code::kCancelled);
}

TEST(HttpSend, PassesOnAFailure) {
  ClientHost host;
  EXPECT_EQ(host.client().send({}, {.url = "http://10.0.0.1/"}, {}).error().code,
            Code::kPermissionDenied);
}

}  // namespace
}  // namespace quarry::services::testing
