/// The state of a process that a plugin leaves as it is. The host's checks ("quarry plugins
/// validate") and the test kit (<quarry/testing.hpp>) observe it with the same functions. Linux.
#ifndef QUARRY_PROCESS_STATE_HPP
#define QUARRY_PROCESS_STATE_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pthread.h>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>

namespace quarry {

/// A part of a process's state.
enum class ProcessAspect {
  kDirectory,
  kEnvironment,
  kSignalHandlers,
  kSignalMask,  ///< of the calling thread
  kLocale,
  kFileMode,  ///< the umask
  kLimits,
  kDescriptors,
  kThreads,
  kChildren,
};

inline constexpr std::array kProcessAspects{
    ProcessAspect::kDirectory,  ProcessAspect::kEnvironment, ProcessAspect::kSignalHandlers,
    ProcessAspect::kSignalMask, ProcessAspect::kLocale,      ProcessAspect::kFileMode,
    ProcessAspect::kLimits,     ProcessAspect::kDescriptors, ProcessAspect::kThreads,
    ProcessAspect::kChildren,
};

namespace detail {

using StateLines = std::vector<std::string>;

inline StateLines environment_lines() {
  StateLines lines;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each)
    lines.emplace_back(*each);
  return lines;
}

inline StateLines handler_lines() {
  StateLines lines;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_DFL) continue;
    std::uintptr_t address = 0;
    static_assert(sizeof address == sizeof action.sa_handler);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&action.sa_handler);
    std::copy_n(bytes, sizeof address, reinterpret_cast<unsigned char*>(&address));
    lines.push_back("signal " + std::to_string(number) + ": handler " + std::to_string(address) +
                    ", flags " + std::to_string(action.sa_flags));
  }
  return lines;
}

inline StateLines mask_lines() {
  sigset_t blocked;
  StateLines lines;
  if (::pthread_sigmask(SIG_BLOCK, nullptr, &blocked) != 0) return lines;
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&blocked, number) == 1) {
      lines.push_back("signal " + std::to_string(number) + " is blocked");
    }
  }
  return lines;
}

inline StateLines limit_lines() {
  StateLines lines;
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) continue;
    lines.push_back("limit " + std::to_string(resource) + ": " + std::to_string(limit.rlim_cur) +
                    " of " + std::to_string(limit.rlim_max));
  }
  return lines;
}

inline StateLines file_mode_lines() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return {"umask " + std::to_string(mask)};
}

inline StateLines directory_line() {
  std::error_code failed;
  const auto current = std::filesystem::current_path(failed);
  return {failed ? "none: " + failed.message() : current.string()};
}

inline StateLines descriptor_lines() {
  StateLines lines;
  std::error_code failed;
  const std::filesystem::path own = "/proc/self/fd";
  for (std::filesystem::directory_iterator each(own, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(each->path(), gone).string();
    // The descriptor of this listing itself.
    if (gone || (target.starts_with("/proc/") && target.ends_with("/fd"))) continue;
    lines.push_back("descriptor " + each->path().filename().string() + ": " + target);
  }
  return lines;
}

/// The first line of `file` beneath each thread's directory, with the thread's number.
inline StateLines thread_files(const char* file) {
  StateLines lines;
  std::error_code failed;
  for (std::filesystem::directory_iterator each("/proc/self/task", failed), end;
       !failed && each != end; each.increment(failed)) {
    std::string line;
    std::getline(std::ifstream(each->path() / file), line);
    lines.push_back(each->path().filename().string() + " " + line);
  }
  return lines;
}

inline StateLines thread_lines() {
  StateLines lines;
  for (const auto& line : thread_files("comm")) {
    lines.push_back("thread " + line.substr(0, line.find(' ')));  // its name may change
  }
  return lines;
}

inline StateLines child_lines() {
  StateLines lines;
  for (const auto& line : thread_files("children")) {
    if (const auto at = line.find(' '); at + 1 < line.size()) {
      lines.push_back("child processes " + line.substr(at + 1));
    }
  }
  return lines;
}

}  // namespace detail

/// The state as sorted lines for a person.
inline std::vector<std::string> observe(ProcessAspect aspect) {
  const auto lines = [&]() -> detail::StateLines {
    switch (aspect) {
      case ProcessAspect::kDirectory:
        return detail::directory_line();
      case ProcessAspect::kEnvironment:
        return detail::environment_lines();
      case ProcessAspect::kSignalHandlers:
        return detail::handler_lines();
      case ProcessAspect::kSignalMask:
        return detail::mask_lines();
      case ProcessAspect::kLocale:
        return {std::setlocale(LC_ALL, nullptr)};
      case ProcessAspect::kFileMode:
        return detail::file_mode_lines();
      case ProcessAspect::kLimits:
        return detail::limit_lines();
      case ProcessAspect::kDescriptors:
        return detail::descriptor_lines();
      case ProcessAspect::kThreads:
        return detail::thread_lines();
      case ProcessAspect::kChildren:
        break;
    }
    return detail::child_lines();
  };
  auto sorted = lines();
  std::ranges::sort(sorted);
  return sorted;
}

/// The lines that are now in the state and were not `before`, with "+ ", and those that are gone,
/// with "- ". A thread or process that is about to end gets `patience`.
inline std::vector<std::string> changes(
    ProcessAspect aspect, const std::vector<std::string>& before,
    std::chrono::milliseconds patience = std::chrono::milliseconds(500)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const bool ends = aspect == ProcessAspect::kThreads || aspect == ProcessAspect::kChildren;
  std::vector<std::string> now = observe(aspect);
  while (ends && now != before && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    now = observe(aspect);
  }
  std::vector<std::string> added;
  std::vector<std::string> gone;
  std::ranges::set_difference(now, before, std::back_inserter(added));
  std::ranges::set_difference(before, now, std::back_inserter(gone));
  std::vector<std::string> out;
  for (const auto& line : added) out.push_back("+ " + line);
  for (const auto& line : gone) out.push_back("- " + line);
  return out;
}

}  // namespace quarry

#endif
