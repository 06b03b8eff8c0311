#include "base/text.h"
#include "cli/config_check.h"
#include "cli/connection.h"
#include "cli/service.h"
#include "cli/upgrade/successor.h"
#include "cli/verbs.h"
#include "services/service_manager.h"

#include <quarry/transport.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace quarry::cli {
namespace {

/// The time in which the process before this one must tell its questions.
constexpr std::chrono::seconds kLongestTransfer{10};

/// A stream uses two descriptors; the usual limit of 1,024 exists for programs that use select.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The sockets that the service manager passed must be of a transport: clients of others would wait
/// for ever.
Status check_sockets(const services::ServiceManager& manager, const CommonOptions& common) {
  if (manager.socket_names().empty()) return {};
  const auto found = find_plugins(common);
  if (!found) return found.error();
  std::vector<std::string> transports;
  for (const auto& manifest : found->manifests) {
    for (const auto& component : manifest.components) {
      if (component.kind == QUARRY_TRANSPORT) transports.push_back(component.name);
    }
  }
  for (const std::string& name : manager.socket_names()) {
    if (std::ranges::find(transports, name) != transports.end()) continue;
    return Error{Code::kInvalidArgument,
                 "the service manager passed a socket \"" + name + "\", which is no transport",
                 "Name it with FileDescriptorName=; there are: " + join(transports, ", ") + "."}
        .tagged("ConfigError");
  }
  return {};
}

Result<ExitCode> run_serve(Context& context, bool locked) {
  Predecessor predecessor = Predecessor::of_environment();
  raise_descriptor_limit();
  const services::ServiceManager manager(
      [](const char* name) { return std::getenv(name); },  // NOLINT(concurrency-mt-unsafe)
      ::getpid());
  if (Status known = check_sockets(manager, context.common); !known) return known.error();
  auto started =
      start_engine(context.terminal, context.common,
                   {.locked = locked, .transports = true, .watch = true, .serves = true});
  if (!started) return std::move(started).error();
  engine::Engine& engine = **started;
  if (predecessor.connection()) {
    const Status received = engine.receive_questions(predecessor.connection(), kLongestTransfer);
    if (!received) engine.log_error(received.error());
  }
  const auto listening = engine.start_transports();
  if (!listening) return with_other_mistakes(listening.error(), context.common);
  if (listening->empty()) {
    return Error{Code::kInvalidArgument, "no transport is enabled",
                 "Enable one in the configuration, as in [transport.rest] enabled = true."}
        .tagged("ConfigError");
  }
  std::vector<std::string> addresses;
  for (const auto& [transport, address] : *listening) addresses.push_back(address);
  const std::string status = "listens on " + join(addresses, ", ");
  Service service(context, engine, manager, *listening, status);
  for (const std::string& address : addresses) {
    context.terminal.out_line("Quarry listens on " + address);
  }
  predecessor.tell_that_this_listens();
  manager.tell_ready(status);
  // Tells of mistakes that stop no part, such as a table of a transport that no plugin offers.
  const std::jthread check([&] {
    if (const auto left = as_error(check_files(context.common))) engine.log_error(*left);
  });
  if (service.run()) {
    service.drain();
    return ExitCode::kOk;
  }
  manager.tell_stopping();
  engine.shutdown();
  return ExitCode::kOk;
}

}  // namespace

Verb serve_verb(CommonOptions& common) {
  const auto locked = std::make_shared<bool>(false);
  return {"serve",
          "Serve every enabled transport until stopped",
          {{"-l,--listen", "ADDRESS:PORT", "Address of the REST transport",
            SettingTarget{&common.settings, "transport.rest.listen"}},
           {"--locked", "", kLockedHelp, locked.get()}},
          [locked](Context& context) { return run_serve(context, *locked); }};
}

}  // namespace quarry::cli
