// Group process: the state of the process after the whole life of a plugin.

#include "conformance/checks.h"
#include "plugins/compose.h"
#include "runner/sandbox.h"

#include <quarry/process_state.hpp>

#include <algorithm>
#include <cstdio>
#include <malloc.h>

#include <sys/stat.h>

namespace quarry::conformance {
namespace {

using plugins::compose;

const char* hint_for(ProcessAspect aspect) {
  switch (aspect) {
    case ProcessAspect::kDirectory:
      return "use absolute paths instead of changing the working directory";
    case ProcessAspect::kEnvironment:
      return "pass variables to a program through the process service";
    case ProcessAspect::kSignalHandlers:
      return "install no signal handlers, also not through a library's initialisation";
    case ProcessAspect::kSignalMask:
      return "restore the signal mask of the thread before the function returns";
    case ProcessAspect::kLocale:
      return "use functions that take a locale, such as strtod_l or std::from_chars";
    case ProcessAspect::kFileMode:
      return "give the mode of a file when it is opened, or use fchmod";
    case ProcessAspect::kLimits:
      return "leave the limits of the process alone";
    case ProcessAspect::kDescriptors:
      return "close what an instance opened in destroy, and what open opened in close";
    case ProcessAspect::kThreads:
      return "start no threads; use jobs and loops of the work service, and join the loops";
    case ProcessAspect::kChildren:
      return "run programs through the process service, never by fork";
  }
  return "";
}

off_t size_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? status.st_size : 0;
}

std::string beginning(int descriptor) {
  char text[80];
  const auto count = ::pread(descriptor, text, sizeof text, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(0, count))};
}

std::size_t heap_in_use() {
  const struct mallinfo2 heap = ::mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

std::string mebibytes(std::uint64_t bytes) {
  return compose("{} MiB", bytes >> 20);
}

}  // namespace

Verdict unchanged(Trial& trial, ProcessAspect aspect) {
  const auto before = observe(aspect);
  live(trial);
  auto changed = changes(aspect, before, trial.options().limit / 10);
  // The private copy, which the host keeps open when the linker keeps the code: see `unloads`.
  std::erase_if(changed,
                [&](const std::string& line) { return line.contains(trial.manifest().id); });
  if (changed.empty()) return {};
  return fails(compose("{} line{} of it changed: {}", changed.size(),
                       changed.size() == 1 ? "" : "s", changed.front()),
               hint_for(aspect));
}

Verdict output_unwritten(Trial& trial) {
  live(trial);
  std::fflush(stdout);
  if (size_of(trial.output().standard) == 0) return {};
  return fails(compose("it wrote to standard output: {}", beginning(trial.output().standard)),
               "use the log service; standard output belongs to the program");
}

Verdict error_output_unwritten(Trial& trial) {
  live(trial);
  std::fflush(stderr);
  if (size_of(trial.output().error) == 0) return {};
  return warns(compose("it wrote to standard error: {}", beginning(trial.output().error)),
               "use the log service, which names the plugin and removes secrets");
}

Verdict memory_bounded(Trial& trial) {
  if (!runner::kLimitsMemory) return skips("a sanitizer takes memory of its own");
  const auto before = status_bytes("VmRSS:");
  live(trial);
  const auto peak = status_bytes("VmHWM:");
  const auto grown = peak > before ? peak - before : 0;
  if (grown <= trial.options().memory) return {};
  return fails(compose("it took {} of memory, more than {}", mebibytes(grown),
                       mebibytes(trial.options().memory)),
               "pass data on in pieces, as add_file and the sinks allow");
}

Verdict memory_returned(Trial& trial) {
  if (!runner::kLimitsMemory) return skips("a sanitizer has an allocator of its own");
  constexpr std::size_t kLives = 6;
  // A statically linked libstdc++ keeps 72 KiB for exceptions when its plugin is unloaded.
  constexpr std::size_t kMost = 96u << 10;
  for (int i = 0; i < 2; ++i) live(trial);  // first uses allocate for good
  const auto before = heap_in_use();
  for (std::size_t i = 0; i < kLives; ++i) live(trial);
  const auto after = heap_in_use();
  if (after <= before + kLives * kMost) return {};
  return fails(compose("each life of the plugin leaves {} KiB of heap behind",
                       (after - before) / kLives / 1024),
               "free in destroy and close what the functions allocated");
}

}  // namespace quarry::conformance
