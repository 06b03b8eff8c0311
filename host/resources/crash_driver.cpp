// Works on a cache until it is killed: the process that crash_test.cpp ends at named moments.
//
//   resources_crash_driver <cache> <folder> <version> <work>...
//
// Work: "fetch" a source at <version>, read <folder> "inplace", "clear". Each answer is one line:
// what file a.txt holds. QUARRY_CRASH_AT names the moment to die at, as "<moment>:<how often
// before>".
#include "resources/testing.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace {

using namespace quarry;
using namespace quarry::resources;

void maybe_crash(std::string_view moment) {
  const char* wish = std::getenv("QUARRY_CRASH_AT");
  const std::string_view at = wish != nullptr ? wish : "";
  const std::size_t colon = at.find(':');
  if (colon == at.npos || at.substr(0, colon) != moment) return;
  static std::atomic<int> left = std::atoi(at.data() + colon + 1);
  if (left-- == 0) ::kill(::getpid(), SIGKILL);
}

std::string answer(const Setting& setting, const std::string& url) {
  Json resource = kFake;
  resource["url"] = url;
  const auto prepared = setting.sync(resource);
  if (!prepared) return "failed: " + prepared.error().message;
  const std::string stale = prepared->stale.empty() ? "" : " (stale: " + prepared->stale + ")";
  return text_of(*prepared, "a.txt") + stale;
}

std::string work_at(Setting& setting, const std::string& work) {
  if (work == "clear") return setting.library->clear({}) ? "cleared" : "not cleared";
  return answer(setting, work);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return 2;
  // Several processes must agree on what is newer.
  const SystemClock machine_clock;
  Setting setting(2, arguments[1]);
  setting.library_clock = &machine_clock;
  Options options;
  options.crash_point = maybe_crash;
  setting.open(options);
  const std::string version = arguments[3];
  setting.fake->version = version_of(version, true, version.substr(0, 8));
  for (int i = 4; i < count; ++i) {
    const std::string work = arguments[i];
    setting.fake->files.clear();
    setting.fake->fill = [&](plugins::Tree& tree) {
      return work == "inplace" ? tree.use_in_place(arguments[2]) : tree.add_file("a.txt", version);
    };
    std::printf("%s\n", work_at(setting, work).c_str());
    std::fflush(stdout);
  }
  setting.library->shutdown();
  return 0;
}
