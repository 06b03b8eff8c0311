// Group reload: several generations of the plugin in one process.

#include "conformance/checks.h"
#include "plugins/compose.h"

#include <fstream>

namespace quarry::conformance {
namespace {

using plugins::compose;

/// Makes and uses an instance of each component; the components that could not be made.
std::vector<std::string> refused_by(Trial& trial, Generation& generation, std::vector<Made>& made) {
  std::vector<std::string> refused;
  for (const auto* component : Trial::components(generation)) {
    auto instance = trial.create(generation, *component);
    if (instance) {
      use(trial, *instance);
      made.push_back(std::move(*instance));
    } else {
      refused.push_back(
          compose("{} \"{}\": {}", component->kind, component->name, instance.error().message));
    }
  }
  return refused;
}

struct Served {
  std::unique_ptr<Generation> generation;
  std::vector<Made> made;
  std::vector<std::string> refused;

  void end(Trial& trial) {
    for (const auto& each : made) trial.at(each, "destroy");
    made.clear();
    trial.at("close");
    generation.reset();
  }
};

Result<Served> serve(Trial& trial) {
  auto generation = trial.open();
  if (!generation) return std::move(generation.error());
  Served served{std::move(*generation), {}, {}};
  served.refused = refused_by(trial, *served.generation, served.made);
  return served;
}

/// A failure if a later generation refuses what the first accepted.
Verdict as_the_first(const Served& first, const Result<Served>& later, std::string_view which) {
  constexpr const char* kHint =
      "keep no state outside of the process's memory that close does not release, such as locks";
  if (!later) {
    return fails(compose("{} generation did not open: {}", which, later.error().message), kHint);
  }
  if (later->refused.size() <= first.refused.size()) return {};
  return fails(compose("{} generation refuses {}", which, later->refused.back()), kHint);
}

bool is_mapped(const std::string& id) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.contains("memfd:" + id)) return true;
  }
  return false;
}

}  // namespace

Verdict loads_again(Trial& trial) {
  auto first = serve(trial);
  if (!first) return judge(first.error());
  first->end(trial);
  auto second = serve(trial);
  Verdict verdict = as_the_first(*first, second, "the second");
  if (verdict.outcome == Outcome::kPass) second->end(trial);
  return verdict;
}

Verdict two_generations_work(Trial& trial) {
  auto first = serve(trial);
  if (!first) return judge(first.error());
  auto second = serve(trial);
  if (Verdict verdict = as_the_first(*first, second, "beside the first, a second");
      verdict.outcome != Outcome::kPass) {
    return verdict;
  }
  first->end(trial);
  for (const auto& each : second->made) use(trial, each);
  second->end(trial);
  return {};
}

Verdict unloads(Trial& trial) {
  live(trial);
  if (!is_mapped(trial.manifest().id)) return {};
  return warns("its code stays in memory after it was closed, so each reload takes more",
               "use no thread_local objects with destructors; build with quarry_add_plugin");
}

}  // namespace quarry::conformance
