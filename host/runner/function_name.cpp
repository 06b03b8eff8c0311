#include "runner/function_name.h"

#include <cstddef>

namespace quarry::runner {
namespace {

using std::chrono::milliseconds;

struct Row {
  std::string_view name;
  milliseconds limit;
};

constexpr milliseconds kInstant{1'000};       // on the host's I/O thread
constexpr milliseconds kBrief{5'000};         // computes
constexpr milliseconds kSetup{10'000};        // may use services
constexpr milliseconds kRemote{120'000};      // asks a server
constexpr milliseconds kTransfer{3'600'000};  // moves data, or computes long

/// In order of Function.
constexpr Row kRows[] = {{"open", kSetup},
                         {"close", kBrief},
                         {"create", kSetup},
                         {"destroy", kBrief},
                         {"describe", kBrief},
                         {"normalise", kBrief},
                         {"resolve", kRemote},
                         {"fetch", kTransfer},
                         {"parse_reference", kBrief},
                         {"generate", kTransfer},
                         {"models", kRemote},
                         {"begin", kInstant},
                         {"request", kInstant},
                         {"head", kInstant},
                         {"data", kInstant},
                         {"end", kInstant},
                         {"destroy_exchange", kInstant},
                         {"rates", kBrief},
                         {"refresh", kRemote}};
static_assert(std::size(kRows) == static_cast<std::size_t>(Function::kLast) + 1);

const Row& row(Function function) {
  return kRows[static_cast<std::size_t>(function)];
}

}  // namespace

std::string_view name_of(Function function) {
  return row(function).name;
}

milliseconds limit_of(Function function) {
  return row(function).limit;
}

}  // namespace quarry::runner
