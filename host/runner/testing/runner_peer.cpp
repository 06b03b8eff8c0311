// runner_peer <manner>: the process at the other end of a connection. "run" is a real runner; the
// others break the protocol on purpose.

#include "runner/child.h"
#include "runner/frame.h"
#include "runner/runner_process.h"

#include <quarry/abi.h>

#include <cstdint>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>

#include <sys/socket.h>

#ifdef __SANITIZE_THREAD__
/// The thread sanitizer sleeps for a second in exit(), as long as a host waits for it.
extern "C" QUARRY_EXPORT const char* __tsan_default_options() {
  return "atexit_sleep_ms=0";
}
#endif

namespace {

using namespace quarry::runner;

/// Blocks until the host ends this process.
int wait_for_the_end() {
  ::poll(nullptr, 0, -1);
  return 0;
}

void send_bytes(std::string_view bytes) {
  [[maybe_unused]] const auto sent = ::send(kRunnerSocket, bytes.data(), bytes.size(), 0);
}

void send_ready(std::uint32_t protocol, std::uint32_t components) {
  std::string out;
  append_frame(out, Kind::kReady, 0, [&](PacketWriter& packet) {
    packet.put(protocol).text("{}").put(std::uint64_t{0}).put(components);
    for (std::uint32_t i = 0; i < components; ++i) packet.put(std::uint64_t{0});
  });
  send_bytes(out);
}

void reply(std::uint32_t call) {
  std::string out;
  append_frame(out, Kind::kReply, call, [](PacketWriter& packet) {
    packet.put(std::uint8_t{1}).put(QUARRY_OK).text("{}").text("").text("");
  });
  send_bytes(out);
}

/// Number of the host's next call; 0 at the end of the connection.
std::uint32_t next_call(FrameBuffer& buffer) {
  for (;;) {
    while (const auto frame = buffer.next().value()) {
      if (frame->kind == Kind::kCall) return frame->call;
    }
    const auto space = buffer.space();
    const auto got = ::recv(kRunnerSocket, space.data(), space.size(), 0);
    if (got <= 0) return 0;
    buffer.received(static_cast<std::size_t>(got));
  }
}

/// Answers the first `count` calls of the host, and then does not read any more.
int answer_calls(int count) {
  send_ready(kProtocol, 1);
  FrameBuffer buffer;
  for (int i = 0; i < count; ++i) reply(next_call(buffer));
  return wait_for_the_end();
}

/// Asks the host something, whose answer it cannot send, and exits when the host ends the
/// connection.
int unanswerable() {
  send_ready(kProtocol, 1);
  FrameBuffer buffer;
  const auto call = next_call(buffer);
  ::shutdown(kRunnerSocket, SHUT_RD);
  std::string out;
  append_frame(out, Kind::kScratch, call, [](PacketWriter& packet) { packet.text(""); });
  send_bytes(out);
  pollfd ended{.fd = kRunnerSocket, .events = 0, .revents = 0};
  ::poll(&ended, 1, -1);
  return 7;
}

int garbage() {
  send_bytes("HTTP/1.1 200 OK\r\nContent-Length: 4711\r\n\r\n");
  return wait_for_the_end();
}

int twice() {
  send_ready(kProtocol, 1);
  FrameBuffer buffer;
  const auto call = next_call(buffer);
  reply(call);
  reply(call);
  return wait_for_the_end();
}

int other_version() {
  send_ready(kProtocol + 1, 1);
  return wait_for_the_end();
}

int own_call() {
  send_ready(kProtocol, 1);
  std::string out;
  append_frame(out, Kind::kCall, 1, [](PacketWriter&) {});
  send_bytes(out);
  return wait_for_the_end();
}

/// Streams without waiting for the host to consume what it was sent.
int flood() {
  send_ready(kProtocol, 1);
  FrameBuffer buffer;
  const auto call = next_call(buffer);
  std::string out;
  append_frame(out, Kind::kProgress, call,
               [](PacketWriter& packet) { packet.text(std::string(1u << 20, 'x')); });
  while (::send(kRunnerSocket, out.data(), out.size(), MSG_NOSIGNAL) > 0) continue;
  return 0;
}

/// Asks for services, ends all but the first of these requests, and reads no outcome.
int end_requests() {
  constexpr std::uint32_t kServed = 16;  // at once
  send_ready(kProtocol, 1);
  FrameBuffer buffer;
  const auto call = next_call(buffer);
  std::string out;
  for (std::uint32_t number = 1; number <= 20'000; ++number) {
    append_frame(out, Kind::kService, call, [&](PacketWriter& packet) {
      packet.put(number).put(static_cast<std::uint8_t>(Service::kHttpPermit)).text("https://a/");
    });
    if (number <= kServed) continue;
    append_frame(out, Kind::kServiceCredit, call, [&](PacketWriter& packet) {
      packet.put(number).put(std::uint32_t{0}).put(QUARRY_CANCELLED);
    });
  }
  send_bytes(out);
  return wait_for_the_end();
}

/// Asks for services, each with 1 MiB of arguments.
int request_much() {
  send_ready(kProtocol, 1);
  FrameBuffer buffer;
  const auto call = next_call(buffer);
  const std::string url(1u << 20, 'x');
  for (std::uint32_t number = 1; number <= 100; ++number) {
    std::string out;
    append_frame(out, Kind::kService, call, [&](PacketWriter& packet) {
      packet.put(number).put(static_cast<std::uint8_t>(Service::kHttpPermit)).text(url);
    });
    send_bytes(out);
  }
  return wait_for_the_end();
}

/// Has the host hide one secret after the other.
int hide_all() {
  send_ready(kProtocol, 1);
  FrameBuffer buffer;
  next_call(buffer);
  std::string out;
  for (int i = 0; i < 100'000; ++i) {
    append_frame(out, Kind::kHide, 0,
                 [&](PacketWriter& packet) { packet.text("secret " + std::to_string(i)); });
  }
  send_bytes(out);
  return wait_for_the_end();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string manner = count == 2 ? arguments[1] : "";
  if (manner == "run") return run_plugin(kRunnerSocket);
  if (manner == "silent") return wait_for_the_end();
  if (manner == "closing") return ::close(kRunnerSocket), wait_for_the_end();
  if (manner == "unanswerable") return unanswerable();
  if (manner == "garbage") return garbage();
  if (manner == "other version") return other_version();
  if (manner == "own call") return own_call();
  if (manner == "twice") return twice();
  if (manner == "deaf") return answer_calls(2);
  if (manner == "flood") return flood();
  if (manner == "ending requests") return end_requests();
  if (manner == "many secrets") return hide_all();
  if (manner == "large requests") return request_much();
  return 64;
}
