#include "symbols_tree_sitter/budget.h"

#include <string>
#include <time.h>

namespace quarry::symbols_tree_sitter {
namespace {

std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Failure exhausted(std::string message) {
  return {QUARRY_RESOURCE_EXHAUSTED,
          std::move(message),
          "Search its text instead, or split the file.",
          {}};
}

}  // namespace

Budget::Budget(const Call& call, const Limits& limits)
    : call_(call), limits_(limits), end_(processor_time() + limits.time) {}

bool Budget::over() const {
  return call_.over() || processor_time() >= end_;
}

Failure Budget::why() const {
  if (call_.over()) return call_.why();
  return exhausted("Reading the file took more than " + std::to_string(limits_.time.count()) +
                   " ms of processor time");
}

Failure Budget::out_of_memory() const {
  return exhausted("Reading the file takes more than " + std::to_string(limits_.memory) +
                   " bytes of memory");
}

Failure Budget::too_large(std::size_t size) const {
  return exhausted("The file has " + std::to_string(size) +
                   " bytes; definitions are read from files of up to " +
                   std::to_string(limits_.text));
}

}  // namespace quarry::symbols_tree_sitter
