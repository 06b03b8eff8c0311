#include "runner/child_exchange.h"

#include "base/file.h"
#include "runner/frame.h"

#include <chrono>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace quarry::runner {
namespace {

/// Size of the payload that tells the host of a request with this body.
std::size_t told_of(const std::string& body) {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const Fd mine(ends[0]);
  const Fd theirs(ends[1]);
  Outbox outbox(mine.get(), std::chrono::hours(1));
  ChildCall call(outbox, 1, Function::kRequest, 3'600'000);
  quarry_http_request request{};
  request.struct_size = sizeof request;
  request.method = as_text("POST");
  request.url = as_text("https://example.org/");
  request.body = as_text(body);
  stream_request(call, &request);
  EXPECT_TRUE(outbox.drain());
  FrameBuffer received;
  const auto space = received.space();
  received.received(static_cast<std::size_t>(::recv(theirs.get(), space.data(), space.size(), 0)));
  const auto frame = received.next().value();
  EXPECT_TRUE(frame && frame->kind == Kind::kHttpRequest);
  return frame ? frame->payload.size() : 0;
}

TEST(RequestOfAnExchange, ThatNoFrameCanHoldIsNone) {
  EXPECT_GT(told_of("body"), 1u);
  EXPECT_EQ(told_of(std::string(kMaxPayload, 'x')), 1u);
}

}  // namespace
}  // namespace quarry::runner
