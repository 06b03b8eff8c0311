#include "engine/file_watch.h"

#include "base/directory_entries.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include <sys/stat.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;

void add_state(const fs::path& file, std::string& out) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return;
  out += file.native();
  for (const auto number :
       {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
        static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_mode),
        static_cast<std::uint64_t>(status.st_mtim.tv_sec),
        static_cast<std::uint64_t>(status.st_mtim.tv_nsec),
        static_cast<std::uint64_t>(status.st_ctim.tv_sec),
        static_cast<std::uint64_t>(status.st_ctim.tv_nsec)}) {
    out += ' ' + std::to_string(number);
  }
  out += '\n';
}

std::vector<fs::path> manifests_in(const fs::path& directory) {
  std::vector<fs::path> out;
  for (const auto& entry : entries_of(directory)) {
    out.push_back(entry.path() / "plugin.toml");
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::string file_states(const WatchedFiles& watched) {
  std::string out;
  for (const auto& file : watched.files) add_state(file, out);
  for (const auto& directory : watched.plugin_directories) {
    for (const auto& manifest : manifests_in(directory)) add_state(manifest, out);
  }
  return out;
}

FileWatch::FileWatch(Parts parts)
    : parts_(std::move(parts)),
      used_(file_states(parts_.watched())),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void FileWatch::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  std::string last = used_;
  while (!ended.wait_for(lock, stop, parts_.interval, [&] { return stop.stop_requested(); })) {
    std::string now = file_states(parts_.watched());
    const bool settled = now == last;  // two looks alike: the writing has probably ended
    last = std::move(now);
    if (!settled || last == used_) continue;
    used_ = last;
    parts_.changed();
  }
}

}  // namespace quarry::engine
