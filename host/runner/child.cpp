#include "runner/child.h"

#include "base/error.h"
#include "plugins/manifest.h"
#include "plugins/module.h"
#include "runner/call_threads.h"
#include "runner/child_session.h"
#include "runner/frame.h"
#include "runner/hello.h"
#include "runner/outbox.h"
#include "runner/sandbox.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/model.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace quarry::runner {
namespace {

/// Of each thread of a runner, in bytes.
constexpr std::size_t kStack = 2u << 20;

/// Calls that run at once; others wait.
constexpr std::size_t kMostCalls = 64;

/// The first frame, after which the host waits for an answer. Empty if it is another one.
std::optional<Hello> receive_hello(int socket) {
  FrameBuffer buffer;
  for (;;) {
    const auto space = buffer.space();
    const ssize_t count = ::recv(socket, space.data(), space.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    buffer.received(static_cast<std::size_t>(count));
    const auto frame = buffer.next();
    if (!frame || (*frame && (*frame)->kind != Kind::kHello)) return std::nullopt;
    if (*frame) return Hello::read((*frame)->payload);
  }
}

std::vector<std::filesystem::path> own_directories(const Hello& hello) {
  std::vector<std::filesystem::path> own;
  for (const auto& directory : {hello.cache, hello.data}) {
    if (!directory.empty()) own.emplace_back(directory);
  }
  return own;
}

/// Enters the sandbox before any code of the plugin runs.
Result<std::shared_ptr<plugins::Module>> load(const Hello& hello, Sandbox& sandbox) {
  if (hello.protocol != kProtocol) {
    return Error(Code::kUnsupported, "the program was replaced while the host was running",
                 "restart the host");
  }
  auto manifest = plugins::read_manifest(hello.manifest);
  if (!manifest) return std::move(manifest.error());
  if (manifest->sha256 != hello.sha256) {
    return Error(Code::kInvalidArgument,
                 "plugin " + manifest->id + " was replaced while the host was running",
                 "restart the host to use the new file");
  }
  auto copy = plugins::copy_module(*manifest);
  if (!copy) return std::move(copy.error());
  sandbox = enter_sandbox({.readable = {manifest->path.parent_path()},
                           .writable = own_directories(hello),
                           .memory = hello.memory,
                           .landlock = hello.landlock});
  return plugins::load_module(*manifest, std::move(*copy));
}

/// True for a plugin that is called for each piece of an answer. It only translates between the
/// host and a server, so that it does not give way to other programs at each of them; a plugin that
/// fetches or analyses computes for long, and gives way to the host.
bool has_provider(const plugins::Manifest& manifest) {
  return std::ranges::any_of(manifest.components, [](const auto& component) {
    return component.kind == QUARRY_MODEL || component.kind == QUARRY_EMBEDDING ||
           component.kind == QUARRY_RERANK;
  });
}

int refuse(int socket, const Error& error) {
  Outbox outbox(socket, kGrace);
  const auto sent = outbox.send(Kind::kRefused, 0, [&](PacketWriter& packet) {
    packet.put(static_cast<std::int32_t>(error.code)).text(error.message).text(error.hint);
  });
  return sent ? 0 : 1;
}

void prepare_process() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr rlimit kNoCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &kNoCore);
  // Stacks count as private memory.
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  ::pthread_attr_setstacksize(&attributes, kStack);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

int run_plugin(int socket) {
  prepare_process();
  const auto hello = receive_hello(socket);
  if (!hello) return 2;
  Sandbox sandbox;
  auto module = load(*hello, sandbox);
  if (!module) return refuse(socket, module.error());
  const auto threads = CallThreads::make(socket, kMostCalls);
  if (!threads) return refuse(socket, threads.error());
  const bool nicer = !has_provider((*module)->manifest());
  ChildSession session(socket, *hello, std::move(*module), **threads);
  session.report_ready(sandbox.json());
  (*threads)->start([&](FrameBuffer& received) { return session.take(received); }, nicer);
  for (;;) ::pause();
}

}  // namespace quarry::runner
