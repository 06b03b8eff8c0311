#include "base/mapping_guard.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <unistd.h>

#include <sys/mman.h>

namespace quarry {
namespace {

/// Never freed, since a handler may be reading it; reused when its range is empty.
struct Range {
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::uintptr_t> end = 0;
  Range* next = nullptr;
};

std::atomic<Range*> first_range = nullptr;
std::mutex ranges_mutex;  // of writers; the handler reads without it
struct sigaction action_before {};
std::uintptr_t page_bytes = 4096;

bool is_guarded(std::uintptr_t address) {
  for (const Range* range = first_range; range != nullptr; range = range->next) {
    if (address >= range->begin && address < range->end) return true;
  }
  return false;
}

/// Calls only what a signal handler may call; mmap is a plain system call on Linux.
void on_bus_error(int, siginfo_t* info, void*) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  void* const page = static_cast<char*>(info->si_addr) - address % page_bytes;
  const bool replaced = info->si_code > 0 && is_guarded(address) &&
                        ::mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                               -1, 0) != MAP_FAILED;
  // The instruction is repeated: on zeros, or under the previous handler.
  if (!replaced) ::sigaction(SIGBUS, &action_before, nullptr);
  errno = error;
}

void install_handler() {
  page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &action_before);
}

Range& empty_range() {
  for (Range* range = first_range; range != nullptr; range = range->next) {
    if (range->end == 0) return *range;
  }
  auto* const added = new Range;
  added->next = first_range;
  first_range = added;
  return *added;
}

}  // namespace

void guard_mapping(const void* begin, std::size_t size) {
  const std::lock_guard lock(ranges_mutex);
  static const bool installed = (install_handler(), true);
  static_cast<void>(installed);
  Range& range = empty_range();
  range.begin = reinterpret_cast<std::uintptr_t>(begin);
  range.end = range.begin + size;
}

void unguard_mapping(const void* begin) {
  const std::lock_guard lock(ranges_mutex);
  for (Range* range = first_range; range != nullptr; range = range->next) {
    if (range->end == 0 || range->begin != reinterpret_cast<std::uintptr_t>(begin)) continue;
    range->end = 0;
    range->begin = 0;
    return;
  }
}

}  // namespace quarry
