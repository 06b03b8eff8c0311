#include "services/process_metrics.h"

#include "base/directory_entries.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>

#include <sys/resource.h>

namespace quarry::services {
namespace {

using Type = Reading::Type;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// What follows the program's name in /proc/self/stat, which may contain anything: the state, the
/// third number, is at 0.
std::vector<std::string> process_state() {
  std::ifstream file("/proc/self/stat");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::istringstream rest(text.substr(std::min(text.rfind(')') + 1, text.size())));
  return {std::istream_iterator<std::string>(rest), {}};
}

std::optional<double> number_at(const std::vector<std::string>& state, std::size_t at) {
  if (at >= state.size()) return std::nullopt;
  std::istringstream text(state[at]);
  double number = 0;
  if (!(text >> number)) return std::nullopt;
  return number;
}

/// Seconds from 1970 to the start of the system.
std::optional<double> system_start() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("btime ")) return std::stod(line.substr(6));
  }
  return std::nullopt;
}

std::optional<double> open_descriptors() {
  std::error_code error;
  const auto open = static_cast<double>(entries_of("/proc/self/fd", error).size());
  return error ? std::nullopt : std::optional(open - 1);  // without the one that lists them
}

}  // namespace

std::vector<Reading> process_readings() {
  std::vector<Reading> out;
  const auto add = [&](std::string_view name, Type type, std::string_view help,
                       std::optional<double> value) {
    if (value) out.push_back({name, type, help, *value});
  };
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    add("process_cpu_seconds_total", Type::kCounter, "Processor time of the process, in seconds.",
        seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
  }
  constexpr std::size_t kThreads = 17, kStart = 19, kVirtual = 20, kResident = 21;  // proc(5) - 3
  const auto state = process_state();
  add("process_threads", Type::kGauge, "Threads of the process.", number_at(state, kThreads));
  add("process_virtual_memory_bytes", Type::kGauge, "Address space of the process.",
      number_at(state, kVirtual));
  if (const auto pages = number_at(state, kResident)) {
    add("process_resident_memory_bytes", Type::kGauge, "Resident memory of the process.",
        *pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  const auto start = number_at(state, kStart);
  const auto boot = system_start();
  if (start && boot) {
    add("process_start_time_seconds", Type::kGauge,
        "Start of the process, in seconds since 1970-01-01 UTC.",
        *boot + *start / static_cast<double>(sysconf(_SC_CLK_TCK)));
  }
  add("process_open_fds", Type::kGauge, "Open file descriptors of the process.",
      open_descriptors());
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    add("process_max_fds", Type::kGauge, "Most file descriptors that the process may open.",
        static_cast<double>(limit.rlim_cur));
  }
  return out;
}

}  // namespace quarry::services
