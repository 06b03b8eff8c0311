#pragma once

namespace quarry::runner {

/// Only argument of the program when it runs a plugin over kRunnerSocket.
inline constexpr const char* kRunPlugin = "--run-plugin";

/// Runs in the runner process: loads the plugin that the host names over `socket` and serves the
/// host's calls until the host closes the connection. Returns the exit status; usually it does not
/// return, because threads of the plugin may still run.
int run_plugin(int socket);

}  // namespace quarry::runner
