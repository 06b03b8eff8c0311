#include "cli/connection.h"
#include "cli/mcp/mcp_bridge.h"
#include "cli/verbs.h"
#include "cli/web_session.h"

#include <array>
#include <cerrno>
#include <unistd.h>

namespace quarry::cli {
namespace {

constexpr std::size_t kMostLine = 4u << 20;  // bytes of one message

/// Endpoint of a server; adds the default path if missing.
std::string endpoint_of(std::string url) {
  const std::size_t scheme = url.find("://");
  const std::size_t path = scheme == std::string::npos ? scheme : url.find('/', scheme + 3);
  if (path == std::string::npos) return url + "/api/mcp";
  return path + 1 == url.size() ? url + "api/mcp" : url;
}

/// Reads the lines of standard input and forwards them, until it ends, a signal comes or nobody
/// reads standard output any more. True if it ended.
Result<bool> carry(Context& context, McpBridge& bridge) {
  std::string unread;
  std::array<char, 64 * 1024> buffer{};
  Signals::Pipes pipes;
  while (!context.signals.wait_for_pipes(STDIN_FILENO, STDOUT_FILENO, pipes) &&
         !pipes.reader_gone) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0) return system_error("standard input", errno);
    if (got == 0) return true;
    unread.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = unread.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      bridge.take(std::string_view(unread).substr(begin, end - begin));
    }
    unread.erase(0, begin);
    if (unread.size() > kMostLine) {
      return Error{Code::kResourceExhausted, "a message on standard input is larger than 4 MiB"};
    }
  }
  return false;
}

/// Waits for the last responses, unless a signal comes or nobody reads them.
void finish(Context& context, McpBridge& bridge, const Wake& idle) {
  Signals::Pipes pipes;
  while (!bridge.is_idle() && !pipes.reader_gone) {
    if (context.signals.wait_for_pipes(idle.fd(), STDOUT_FILENO, pipes)) return;
    idle.clear();
  }
}

Result<ExitCode> run_bridge(Context& context) {
  WebSession web;
  const Wake idle;
  McpBridge bridge({endpoint_of(*context.common.server), token_for_servers(), web.client(),
                    [&](std::string_view message) { context.terminal.out_json(message); },
                    [&] { idle.notify(); }});
  const auto ended = carry(context, bridge);
  if (!ended) return ended.error();
  if (*ended) finish(context, bridge, idle);
  return ExitCode::kOk;
}

Result<ExitCode> run_mcp(Context& context) {
  if (context.common.server) return run_bridge(context);
  CommonOptions common = context.common;
  common.settings.emplace_back("transport.stdio.enabled", "true");
  common.settings.emplace_back("store.provider", "none");
  const Wake ended;
  auto started = start_engine(context.terminal, common,
                              {.transports = true, .on_end = [&] { ended.notify(); }});
  if (!started) return std::move(started).error();
  engine::Engine& engine = **started;
  const auto listening = engine.start_transports({"stdio"});
  if (!listening) return listening.error();
  // Nobody waits for answers once the client is gone; the engine ends without a grace.
  if (context.signals.wait(ended.fd())) engine.shutdown();
  return ExitCode::kOk;
}

}  // namespace

Verb mcp_verb(CommonOptions& common) {
  return {
      "mcp",
      "Serve MCP on standard input and output, for editors",
      {{"-s,--server", "URL",
        "Forward it to this server's endpoint, with the token in QUARRY_TOKEN", &common.server}},
      run_mcp};
}

}  // namespace quarry::cli
