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
  std::atomic<bool> lost_pages = false;
  Range* next = nullptr;
};

std::atomic<Range*> first_range = nullptr;
std::atomic<bool> any_lost_pages = false;  // since the process began
std::mutex ranges_mutex;                   // of writers; the handler reads without it
struct sigaction action_before {};
std::uintptr_t page_bytes = 4096;

/// The range with `address`, or null.
Range* range_of(std::uintptr_t address) {
  for (Range* range = first_range; range != nullptr; range = range->next) {
    if (address >= range->begin && address < range->end) return range;
  }
  return nullptr;
}

/// Replaces the page by zeros if it is guarded.
bool replace(void* page, std::uintptr_t address) {
  Range* const range = range_of(address);
  if (range == nullptr) return false;
  range->lost_pages = true;
  any_lost_pages = true;
  return ::mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

/// Calls only what a signal handler may call; mmap is a plain system call on Linux.
void on_bus_error(int, siginfo_t* info, void*) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  void* const page = static_cast<char*>(info->si_addr) - address % page_bytes;
  const bool replaced = info->si_code > 0 && replace(page, address);
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
  range.lost_pages = false;
  range.begin = reinterpret_cast<std::uintptr_t>(begin);
  range.end = range.begin + size;
}

bool lost_pages(const void* begin) {
  if (!any_lost_pages) return false;
  const std::lock_guard lock(ranges_mutex);
  const Range* const range = range_of(reinterpret_cast<std::uintptr_t>(begin));
  return range != nullptr && range->lost_pages;
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
