#include "cli/doctor/machine_checks.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/time_text.h"
#include "plugins/plugin_version.h"
#include "services/endpoint.h"
#include "services/process.h"

#include <algorithm>
#include <charconv>
#include <clocale>
#include <future>
#include <langinfo.h>
#include <memory>
#include <netdb.h>
#include <set>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/resource.h>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kClockSlack{300};
constexpr std::uint64_t kFewDescriptors = 4096;
constexpr std::uint64_t kFewWatches = 65'536;
constexpr std::uint64_t kLittleMemory = 512ull << 20;
constexpr std::uint64_t kLittleAddressSpace = 16ull << 30;
constexpr std::chrono::seconds kNetworkLimit{5};

std::string text_in(const Environment& environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

/// The number in a file of the kernel; nothing for "max".
std::optional<std::uint64_t> number_in(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [read, failed] = std::from_chars(text->data(), end, value);
  return failed == std::errc() && read != text->data() ? std::optional(value) : std::nullopt;
}

/// The first numbers with a dot between them: "2.39.5" of "git version 2.39.5 (Apple Git-154)".
std::string version_in(std::string_view said) {
  constexpr std::string_view kVersion = "0123456789.";
  while (!said.empty()) {
    said.remove_prefix(std::min(said.find_first_of(kVersion), said.size()));
    std::string_view version = said.substr(0, said.find_first_not_of(kVersion));
    said.remove_prefix(version.size());
    while (version.ends_with('.')) version.remove_suffix(1);
    if (!version.starts_with('.') && version.contains('.')) return std::string(version);
  }
  return {};
}

/// What a program in `path` prints as its version; empty if it prints none in `limit`.
std::string version_of(const std::string& program, const std::string& path,
                       std::chrono::milliseconds limit) {
  std::string said;
  const auto take = [&](std::string_view bytes) {
    said += bytes;
    return Status();
  };
  services::Call call;
  call.deadline = std::chrono::steady_clock::now() + limit;
  const auto ended =
      services::ProcessRunner(path, "/").run({.program = program,
                                              .arguments = {"--version"},
                                              .environment = {"LC_ALL=C"},
                                              .input = {},
                                              .output_limit = 4096},
                                             call, {.output = take, .error_output = {}});
  return ended ? version_in(said) : std::string();
}

std::optional<std::uint64_t> soft_or_hard(int resource, bool hard) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return std::nullopt;
  const rlim_t value = hard ? limit.rlim_max : limit.rlim_cur;
  return value == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(value);
}

std::optional<std::uint64_t> least(std::optional<std::uint64_t> left,
                                   std::optional<std::uint64_t> right) {
  if (!left || !right) return left ? left : right;
  return std::min(*left, *right);
}

/// The addresses of a host, or why it has none; nothing if that takes too long.
struct Resolved {
  std::vector<std::string> addresses;
  std::string failure;
};
std::optional<Resolved> resolve(const std::string& host) {
  auto promise = std::make_shared<std::promise<Resolved>>();
  auto found = promise->get_future();
  // getaddrinfo cannot be cancelled: a thread that is late ends with the program.
  std::thread([promise, host] {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    Resolved out;
    const int failed = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
    if (failed != 0) out.failure = ::gai_strerror(failed);
    for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
      char text[NI_MAXHOST] = {};
      if (::getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof text, nullptr, 0,
                        NI_NUMERICHOST) == 0) {
        out.addresses.emplace_back(text);
      }
    }
    if (list != nullptr) ::freeaddrinfo(list);
    promise->set_value(std::move(out));
  }).detach();
  if (found.wait_for(kNetworkLimit) != std::future_status::ready) return std::nullopt;
  return found.get();
}

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool has_certificate(const fs::path& file) {
  const auto text = read_file(file);
  return text && text->contains("BEGIN CERTIFICATE");
}

bool has_certificates(const fs::path& directory) {
  return std::ranges::any_of(entries_of(directory), [](const fs::directory_entry& entry) {
    return has_certificate(entry.path());
  });
}

bool is_program(const fs::path& file) {
  std::error_code failed;
  return fs::is_regular_file(file, failed) && ::access(file.c_str(), X_OK) == 0;
}

std::string time_text(fs::file_time_type time) {
  const auto wall = std::chrono::file_clock::to_sys(time);
  return rfc3339(std::chrono::time_point_cast<std::chrono::system_clock::duration>(wall));
}

}  // namespace

Findings check_clock(const std::vector<fs::path>& files, fs::file_time_type now) {
  const fs::path* latest = nullptr;
  fs::file_time_type written = now + kClockSlack;
  for (const fs::path& file : files) {
    std::error_code failed;
    const auto time = fs::last_write_time(file, failed);
    if (failed || time <= written) continue;
    latest = &file;
    written = time;
  }
  if (latest == nullptr) return {};
  return {fault("the clock says " + time_text(now) + ", but " + printable_exact(latest->string()) +
                    " was written at " + time_text(written),
                "Set the clock, as with \"timedatectl set-ntp true\". If it is right, touch the "
                "file.")};
}

Findings check_descriptors(std::optional<std::uint64_t> most) {
  if (!most || *most >= kFewDescriptors) return {};
  return {warning("the program may open " + std::to_string(*most) +
                      " files and connections, which is enough for about " +
                      std::to_string(*most / 2) + " streams",
                  "Raise the limit: \"ulimit -Hn\", or LimitNOFILE= of its service.")};
}

Findings check_watches(std::optional<std::uint64_t> most) {
  if (!most || *most >= kFewWatches) return {};
  return {warning(std::to_string(*most) +
                      " directories can be watched for changes; folders with more are listed "
                      "again for each question",
                  "Raise the limit: sysctl -w fs.inotify.max_user_watches=1000000.")};
}

Findings check_memory(std::optional<std::uint64_t> most) {
  if (!most || *most >= kLittleMemory) return {};
  return {warning(
      "the program may use " + mebibytes(*most) + " of memory, together with what runs beside it",
      "Permit at least " + mebibytes(kLittleMemory) + ": MemoryMax= of its service.")};
}

Findings check_address_space(std::optional<std::uint64_t> most) {
  if (!most || *most >= kLittleAddressSpace) return {};
  return {warning("the program may map " + mebibytes(*most) +
                      ", which is less than the texts and indexes of large sources",
                  "Permit more, or no limit: ulimit -v unlimited.")};
}

Findings check_sandbox(bool files, bool rest) {
  if (files && rest) return {};
  return {files
              ? warning("the kernel has no seccomp filters, so that a plugin of others can reach "
                        "the network and other programs",
                        "Until it has (CONFIG_SECCOMP_FILTER), add only plugins that you trust as "
                        "you trust Quarry.")
              : warning("the kernel has no Landlock, so that a plugin of others can read every "
                        "file that you can",
                        "Until it has (Linux 5.13, with \"landlock\" in /sys/kernel/security/lsm), "
                        "add only plugins that you trust as you trust Quarry.")};
}

Findings check_locale(const Environment& environment) {
  std::string name;
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (name.empty()) name = text_in(environment, variable);
  }
  const std::string next = "Set one that \"locale -a\" lists, as in LC_ALL=C.UTF-8.";
  const locale_t wanted = ::newlocale(LC_CTYPE_MASK, name.c_str(), nullptr);
  if (wanted == nullptr) {
    return {warning("the locale \"" + printable_exact(name) + "\" is not installed", next)};
  }
  const std::string coding = ::nl_langinfo_l(CODESET, wanted);
  ::freelocale(wanted);
  if (coding == "UTF-8") return {};
  return {warning("texts of the locale \"" + printable_exact(name.empty() ? "C" : name) +
                      "\" are " + coding +
                      ", not UTF-8: a terminal may show names and answers wrongly",
                  next)};
}

Findings check_authorities(const Environment& environment) {
  const std::string file = text_in(environment, "SSL_CERT_FILE");
  const std::string directory = text_in(environment, "SSL_CERT_DIR");
  const std::string next =
      "Install the package ca-certificates, or name a file with them in SSL_CERT_FILE.";
  if (!file.empty() && !has_certificate(file)) {
    return {fault("SSL_CERT_FILE names " + printable_exact(file) +
                      ", which has no certificate of an authority",
                  next)};
  }
  if (!directory.empty() && !has_certificates(directory)) {
    return {fault("SSL_CERT_DIR names " + printable_exact(directory) +
                      ", which has no certificate of an authority",
                  next)};
  }
  if (!file.empty() || !directory.empty()) return {};
  if (has_certificate("/etc/ssl/certs/ca-certificates.crt") || has_certificates("/etc/ssl/certs")) {
    return {};
  }
  return {
      fault("this machine has no certificates of authorities in /etc/ssl/certs, so no server "
            "can be verified",
            next)};
}

Findings check_proxies(const Environment& environment) {
  Findings out;
  std::set<std::string> seen;
  for (const char* variable :
       {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    const std::string url = text_in(environment, variable);
    if (url.empty() || !seen.insert(url).second) continue;
    const std::string next = std::string("Correct or unset ") + variable + ", or start the proxy.";
    const auto endpoint = services::parse_endpoint(url.contains("://") ? url : "http://" + url);
    if (!endpoint) {
      // Other schemes, and addresses with a user, are left to the requests themselves.
      if (url.contains("://") && !url.starts_with("http")) continue;
      if (url.contains('@')) continue;
      out.push_back(fault(std::string(variable) + " is no address of a proxy", next));
      continue;
    }
    const auto resolved = resolve(endpoint->host);
    Status connected = Error{Code::kUnavailable, "the name cannot be found"};
    for (const std::string& address : resolved ? resolved->addresses : std::vector<std::string>()) {
      connected = services::try_connect({address, endpoint->port}, kNetworkLimit);
      if (connected) break;
    }
    if (connected) continue;
    out.push_back(fault("the proxy of " + std::string(variable) + " at " + endpoint->host + ":" +
                            std::to_string(endpoint->port) +
                            " cannot be reached: " + connected.error().message,
                        next));
  }
  return out;
}

Findings check_names(const std::vector<std::string>& urls) {
  Findings out;
  std::set<std::string> seen;
  for (const std::string& url : urls) {
    const auto endpoint = services::parse_endpoint(url);
    if (!endpoint || is_address(endpoint->host) || !seen.insert(endpoint->host).second) continue;
    const auto resolved = resolve(endpoint->host);
    if (resolved && resolved->failure.empty()) continue;
    out.push_back(
        fault("the name " + endpoint->host + " has no address: " +
                  (resolved ? resolved->failure
                            : "no answer within " + std::to_string(kNetworkLimit.count()) + " s"),
              "Correct it in the configuration, or check the network and "
              "/etc/resolv.conf."));
  }
  return out;
}

Findings check_programs(const std::vector<NeededProgram>& needed, const Environment& environment,
                        std::chrono::milliseconds limit) {
  const char* const path = environment("PATH");
  const std::string searched = path == nullptr ? "/usr/bin:/bin" : path;
  Findings out;
  for (const auto& [program, type, oldest] : needed) {
    const auto directories = split(searched, ':');
    const bool found = program.starts_with('/')
                           ? is_program(program)
                           : std::ranges::any_of(directories, [&](std::string_view directory) {
                               return is_program(fs::path(directory) / program);
                             });
    if (!found) {
      out.push_back(fault("resources of the type \"" + type + "\" need the program " + program +
                              ", which is not in PATH (" + printable_exact(searched) + ")",
                          "Install it, or correct PATH."));
    } else if (!oldest.empty() && !program.starts_with('/')) {
      const std::string version = version_of(program, searched, limit);
      if (version.empty() || plugins::compare_versions(version, oldest) >= 0) continue;
      out.push_back(
          fault(program + " " + version + " is too old for resources of the type \"" + type + "\"",
                "Install " + program + " " + oldest + " or later, first in PATH."));
    }
  }
  return out;
}

std::optional<std::uint64_t> most_descriptors() {
  return soft_or_hard(RLIMIT_NOFILE, true);  // a server raises its limit to the hard one
}

std::optional<std::uint64_t> most_watches() {
  return least(number_in("/proc/sys/fs/inotify/max_user_watches"),
               number_in("/proc/sys/user/max_inotify_watches"));
}

std::optional<std::uint64_t> most_memory() {
  std::optional<std::uint64_t> most;
  const auto groups = read_file("/proc/self/cgroup");
  if (!groups) return most;
  for (const std::string_view line : split(*groups, '\n')) {
    if (!line.starts_with("0::")) continue;
    // A limit of a group holds for all beneath it.
    fs::path group = fs::path("/sys/fs/cgroup") / fs::path(line.substr(3)).relative_path();
    for (; group != "/sys/fs"; group = group.parent_path()) {
      most = least(most, number_in(group / "memory.max"));
    }
  }
  return most;
}

std::optional<std::uint64_t> most_address_space() {
  return soft_or_hard(RLIMIT_AS, false);
}

}  // namespace quarry::cli
