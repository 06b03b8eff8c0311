#include "resource-git/program.h"

#include "resource-git/git_version.h"
#include "resource-git/progress.h"

#include <quarry/process.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace quarry::resource_git {
namespace {

constexpr std::uint64_t kMostOutput = 1ull << 40;
constexpr std::uint64_t kLargestPack = 8ull << 30;
constexpr std::uint64_t kMostMemory = 3ull << 30;

/// Errors of real repositories that are harmless when only the files of a commit are read.
constexpr std::array<const char*, 18> kHarmless = {"zeroPaddedFilemode",
                                                   "badFilemode",
                                                   "badDate",
                                                   "badDateOverflow",
                                                   "badTimezone",
                                                   "badEmail",
                                                   "badName",
                                                   "missingEmail",
                                                   "missingNameBeforeEmail",
                                                   "missingSpaceBeforeDate",
                                                   "missingSpaceBeforeEmail",
                                                   "multipleAuthors",
                                                   "nulInCommit",
                                                   "gitmodulesMissing",
                                                   "gitmodulesUrl",
                                                   "gitmodulesName",
                                                   "gitmodulesParse",
                                                   "missingTaggerEntry"};

const Pairs& common_configuration() {
  static const Pairs pairs = [] {
    Pairs out = {{"core.hooksPath", "/dev/null"},
                 {"core.fsmonitor", "false"},
                 {"core.fsync", "none"},  // a cache: damage by a power failure is fetched again
                 {"core.bare", "true"},
                 {"core.alternateRefsCommand", "true"},
                 {"fetch.fsckObjects", "true"},
                 {"fetch.recurseSubmodules", "false"},
                 {"fetch.unpackLimit", "1"},
                 {"fetch.writeCommitGraph", "false"},
                 {"gc.auto", "0"},
                 {"http.followRedirects", "false"},
                 {"http.lowSpeedLimit", std::to_string(MinimumSpeed{}.bytes_per_second)},
                 {"http.lowSpeedTime", std::to_string(MinimumSpeed{}.window.count() / 1000)},
                 {"maintenance.auto", "false"},
                 {"protocol.allow", "never"},
                 {"protocol.version", "2"},
                 {"submodule.recurse", "false"}};
    for (const char* mistake : kHarmless) {
      out.emplace_back(std::string("fetch.fsck.") + mistake, "ignore");
    }
    return out;
  }();
  return pairs;
}

void append_configuration(std::vector<std::string>& environment, const Pairs& pairs,
                          std::size_t& count) {
  for (const auto& [key, value] : pairs) {
    const std::string number = std::to_string(count++);
    environment.push_back("GIT_CONFIG_KEY_" + number + "=" + key);
    environment.push_back("GIT_CONFIG_VALUE_" + number + "=" + value);
  }
}

void pass_on(std::vector<std::string>& environment, const char* name, const char* as) {
  const char* value = std::getenv(name);
  if (value != nullptr) environment.push_back(std::string(as) + "=" + value);
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> environment = {"LC_ALL=C",
                                          "GIT_TERMINAL_PROMPT=0",
                                          "GIT_ASKPASS=false",
                                          "SSH_ASKPASS=false",
                                          "GIT_ATTR_NOSYSTEM=1",
                                          "GIT_NO_REPLACE_OBJECTS=1",
                                          "GIT_OPTIONAL_LOCKS=0",
                                          "GIT_LITERAL_PATHSPECS=1"};
  if (command.reads_user_configuration) {
    pass_on(environment, "XDG_CONFIG_HOME", "XDG_CONFIG_HOME");
  } else {
    environment.insert(environment.end(),
                       {"HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
                        "GIT_CONFIG_SYSTEM=/dev/null"});
  }
  if (!command.directory.empty()) environment.push_back("GIT_DIR=" + command.directory);
  std::size_t count = 0;
  append_configuration(environment, common_configuration(), count);
  append_configuration(environment, command.configuration, count);
  environment.push_back("GIT_CONFIG_COUNT=" + std::to_string(count));
  environment.insert(environment.end(), command.environment.begin(), command.environment.end());
  return environment;
}

}  // namespace

TimedCall::TimedCall(const Host& host, const Call& call, std::chrono::milliseconds limit)
    : deadline_(std::chrono::steady_clock::now() + limit), opened_(host, &call, limit) {}

bool TimedCall::timed_out() const {
  return std::chrono::steady_clock::now() >= deadline_;
}

std::vector<std::string> network_environment() {
  std::vector<std::string> environment;
  for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                           "no_proxy", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    pass_on(environment, name, name);
  }
  // libcurl with GnuTLS does not read SSL_CERT_FILE itself.
  pass_on(environment, "SSL_CERT_FILE", "GIT_SSL_CAINFO");
  pass_on(environment, "SSL_CERT_DIR", "GIT_SSL_CAPATH");
  return environment;
}

Outcome<GitEnd> run_git(const Host& host, const Call& call, const Command& command,
                        const OnBytes& on_output) {
  if (auto refused = check_git(host, call)) return std::move(*refused);
  Progress progress([&](std::string_view json) { call.progress(json); });
  const Process process{"git",        command.arguments, environment_of(command),
                        "/",          command.input,     kMostOutput,
                        kLargestPack, kMostMemory};
  WatchedCall watched(host, call, command.minimum_speed);
  std::uint64_t printed = 0;
  const auto note = [&](std::string_view bytes) {
    printed += bytes.size();
    watched.set_received(printed + progress.received());
    if (progress.all_received()) watched.end_transfer();
  };
  const OnBytes take_output = [&](std::string_view bytes) {
    note(bytes);
    return on_output(bytes);
  };
  const auto end = run(host, watched.call(), process, on_output ? take_output : nullptr,
                       [&](std::string_view bytes) {
                         progress.take(bytes);
                         note(bytes);
                         return true;
                       });
  if (watched.too_slow()) {
    return Failure{QUARRY_DEADLINE_EXCEEDED,
                   std::string("the server was ") + kTooSlow,
                   "Try again later.",
                   {}};
  }
  if (!end) return end.failure();
  return GitEnd{end->exit, end->signal, progress.finish()};
}

}  // namespace quarry::resource_git
