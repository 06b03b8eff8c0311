#pragma once

#include "resources/directory_lock.h"
#include "resources/testing/setting.h"

#include <random>
#include <unistd.h>

// Random operations of a process on a cache, for several processes at once.

namespace quarry::resources {

/// Uses an entry of a plugin's cache as quarry/paths.h requires, creating it if missing. Throws if
/// its content is incomplete.
inline void use_entry(const std::filesystem::path& cache, const std::string& name) {
  namespace fs = std::filesystem;
  fs::create_directories(cache);
  for (;;) {
    if (const auto lock = DirectoryLock::acquire(cache / name, DirectoryLock::Mode::kShared)) {
      if (!fs::exists(cache / name / "data")) throw std::runtime_error("half an entry");
      return;
    }
    const auto making = make_temp_directory(cache, ".making-");
    if (!making) throw std::runtime_error(making.error().message);
    const auto lock = DirectoryLock::try_acquire(*making, DirectoryLock::Mode::kExclusive);
    if (!lock) continue;  // swept in between
    write_file(*making / "data", name);
    std::error_code taken;
    fs::rename(*making, cache / name, taken);
    if (taken) fs::remove_all(*making);
  }
}

/// Rounds of one process. Returns "fine" or the error found.
class Churn {
 public:
  explicit Churn(Setting& setting) : setting_(setting), random_(std::random_device()()) {}

  std::string run(int rounds) {
    setting_.fake->fill = nullptr;
    setting_.fake->files_of = [](const plugins::ResourceVersion& wanted) {
      return std::map<std::string, std::string>{{"a.txt", wanted.id},
                                                {"b.txt", std::string(100'000, 'x')}};
    };
    for (int i = 0; i < rounds && wrong_.empty(); ++i) round();
    return wrong_.empty() ? "fine" : wrong_;
  }

 private:
  std::size_t any(std::size_t below) { return random_() % below; }

  void move_source() {
    const std::string version = "v" + std::to_string(any(4));
    std::lock_guard lock(setting_.fake->mutex);
    setting_.fake->version = version_of(version, true, version);
  }
  Json any_source() {
    Json resource = kFake;
    resource["url"] = "churn" + std::to_string(any(3));
    resource["refreshInBackground"] = any(2) == 0;
    if (any(2) == 0) resource["refresh"] = "always";
    return resource;
  }
  PrepareOptions any_prepare_options() {
    PrepareOptions prepare_options{static_cast<Freshness>(any(3)), {}};
    if (any(4) == 0) prepare_options.locked = setting_.fake->version;
    return prepare_options;
  }
  void round() {
    if (any(4) == 0) move_source();
    switch (any(12)) {
      case 0:
        return check_status(setting_.library->clear({}));
      case 1:
        return check_status(setting_.library->clear(any_source()));
      default:
        return ask();
    }
  }
  template <class T>
  void check_status(const Result<T>& result) {
    if (!result) wrong_ = "clear: " + result.error().message;
  }
  void ask() {
    std::vector<std::future<Result<Prepared>>> asked;
    for (std::size_t i = 0; i <= any(3); ++i) {
      asked.push_back(setting_.start(any_source(), {}, nullptr, any_prepare_options()));
    }
    for (auto& answer : asked) check(answer.get());
  }
  void check(const Result<Prepared>& answer) {
    if (!answer) {
      wrong_ = "failed: " + answer.error().message;
    } else if (text_of(*answer, "a.txt") != answer->version) {
      wrong_ = answer->version + " holds " + text_of(*answer, "a.txt");
    } else if (!std::filesystem::exists(answer->snapshot->directory() / "resource.json")) {
      wrong_ = "a leased snapshot is gone: " + answer->snapshot->directory().string();
    }
  }

  Setting& setting_;
  std::mt19937 random_;
  std::string wrong_;
};

inline std::string churn(Setting& setting, int rounds) {
  return Churn(setting).run(rounds);
}

}  // namespace quarry::resources
