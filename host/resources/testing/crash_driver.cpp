// Works on a cache until it is killed: crash_test.cpp ends this process at named moments.
//
//   resources_crash_driver <cache> <folder> <version> <work>...
//
// Work: a URL = prepare a source that is at <version>; "inplace" = read <folder>; "clear";
// "complain" = wait for a problem reported to the operator; "churn<n>" = n rounds of random
// operations. Each result is one line: the content of a.txt, or the error of the churn. Every fetch
// also uses an entry of a plugin's cache.
//
// QUARRY_CRASH_AT is the moment to die at, as "<moment>:<occurrences to skip>". QUARRY_QUOTA is the
// simulated disk size in bytes, QUARRY_MAX_BYTES the library's limit, QUARRY_PADDING the bytes of
// words that a version has in b.txt.
#include "resources/testing/crash_churn.h"
#include "resources/testing/setting.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/syscall.h>

namespace {

using namespace quarry;
using namespace quarry::resources;
namespace fs = std::filesystem;

std::string g_quota_root;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

void maybe_crash(std::string_view moment) {
  const char* requested = std::getenv("QUARRY_CRASH_AT");
  const std::string_view at = requested != nullptr ? requested : "";
  const std::size_t colon = at.find(':');
  if (colon == at.npos || at.substr(0, colon) != moment) return;
  static std::atomic<int> left = std::atoi(at.data() + colon + 1);
  if (left-- == 0) ::kill(::getpid(), SIGKILL);
}

std::string answer(const Setting& setting, const std::string& url) {
  Json resource = kFake;
  resource["url"] = url;
  const auto prepared = setting.sync(resource);
  if (!prepared) return "failed: " + prepared.error().message + " [" + prepared.error().hint + "]";
  const std::string stale = prepared->stale.empty() ? "" : " (stale: " + prepared->stale + ")";
  return text_of(*prepared, "a.txt") + stale;
}

Status add_files(plugins::Tree& tree, const std::string& version) {
  std::string words;
  const std::uint64_t padding = number_of("QUARRY_PADDING", 0);
  for (int i = 0; words.size() < padding; ++i) words += version + "word" + std::to_string(i) + ' ';
  Status added = tree.add_file("a.txt", version);
  return added ? tree.add_file("b.txt", words) : added;
}

std::string first_problem(Setting& setting) {
  for (;;) {
    std::lock_guard lock(setting.mutex);
    if (!setting.problems.empty()) return setting.problems.front();
  }
}

std::string work_at(Setting& setting, const std::string& work) {
  if (work == "clear") return setting.library->clear({}) ? "cleared" : "not cleared";
  if (work == "complain") return first_problem(setting);
  if (work.starts_with("churn")) return churn(setting, std::atoi(work.c_str() + 5));
  return answer(setting, work);
}

/// True if one more write would exceed the simulated disk size.
bool is_full(int fd, std::size_t size) {
  static const std::uint64_t quota = number_of("QUARRY_QUOTA", ~0ull);
  struct stat status {};
  if (quota == ~0ull || ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  std::uint64_t sum = size;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(g_quota_root, ignored)) {
    if (entry.is_regular_file(ignored)) sum += entry.file_size(ignored);
  }
  return sum > quota;
}

}  // namespace

/// Replaces the system's write for the whole process.
extern "C" __attribute__((visibility("default"))) ssize_t write(int fd, const void* data,
                                                                std::size_t size) {
  if (!is_full(fd, size)) return ::syscall(SYS_write, fd, data, size);
  errno = ENOSPC;
  return -1;
}

int main(int count, char** arguments) {
  if (count < 4) return 2;
  g_quota_root = arguments[1];
  // Several processes must agree on the order of times.
  const SystemClock machine_clock;
  Setting setting(2, arguments[1]);
  setting.library_clock = &machine_clock;
  Options options;
  options.crash_point = maybe_crash;
  options.plugin_caches = fs::path(arguments[1]) / "plugins";
  options.max_bytes = number_of("QUARRY_MAX_BYTES", options.max_bytes);
  setting.open(options);
  const std::string version = arguments[3];
  setting.fake->version = version_of(version, true, version.substr(0, 8));
  setting.fake->while_fetching = [&](const services::Call&) {
    maybe_crash("fetching");
    use_entry(options.plugin_caches / "fake", version.substr(0, 8));
    maybe_crash("fetched");
  };
  for (int i = 4; i < count; ++i) {
    const std::string work = arguments[i];
    setting.fake->files.clear();
    setting.fake->fill = [&](plugins::Tree& tree) {
      return work == "inplace" ? tree.use_in_place(arguments[2]) : add_files(tree, version);
    };
    std::printf("%s\n", work_at(setting, work).c_str());
    std::fflush(stdout);
  }
  setting.library->shutdown();
  return 0;
}
