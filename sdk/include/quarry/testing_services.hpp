/// The part of the test kit (<quarry/testing.hpp>) with the services paths, secrets and clock:
///
///   quarry::testing::FakePaths paths;
///   quarry::testing::Component<quarry_resource_v1> notes{
///       quarry_plugin_entry_v1, QUARRY_RESOURCE, "notes", "{}", {{QUARRY_PATHS, paths.get()}}};
#ifndef QUARRY_TESTING_SERVICES_HPP
#define QUARRY_TESTING_SERVICES_HPP

#include <quarry/clock.h>
#include <quarry/json.hpp>
#include <quarry/paths.h>
#include <quarry/secrets.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::testing {

/// A paths service (quarry.paths/1) with directories of this object alone, created on first use and
/// removed with it. Any thread.
class FakePaths {
 public:
  FakePaths() : paths_{sizeof paths_, this, cache_of, data_of} {
    std::string name = (std::filesystem::temp_directory_path() / "quarry-kit-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      ADD_FAILURE() << "no temporary directory at " << name;
    } else {
      root_ = name;
    }
  }
  ~FakePaths() {
    std::error_code error;
    std::filesystem::remove_all(root_, error);
  }
  FakePaths(const FakePaths&) = delete;
  FakePaths& operator=(const FakePaths&) = delete;

  [[nodiscard]] const quarry_paths_v1* get() const { return &paths_; }
  /// The directories, also for files that a test prepares.
  [[nodiscard]] std::filesystem::path cache() { return made("cache"); }
  [[nodiscard]] std::filesystem::path data() { return made("data"); }

  /// True: neither directory can be created, and both functions return an empty text, as a host
  /// with a full or read-only disk does. To be set before the first use.
  bool unavailable = false;

 private:
  static FakePaths& of(const quarry_paths_v1* self) {
    return *static_cast<FakePaths*>(self->context);
  }
  static quarry_text cache_of(const quarry_paths_v1* self) {
    return of(self).text(of(self).cache_, "cache");
  }
  static quarry_text data_of(const quarry_paths_v1* self) {
    return of(self).text(of(self).data_, "data");
  }
  quarry_text text(std::string& kept, const char* name) {
    if (unavailable) return {nullptr, 0};
    const std::lock_guard lock(mutex_);
    if (kept.empty()) kept = made(name).string();
    return as_text(kept);
  }
  std::filesystem::path made(const char* name) const {
    std::filesystem::path directory = root_ / name;
    std::filesystem::create_directories(directory);
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
    return directory;
  }

  quarry_paths_v1 paths_;
  std::mutex mutex_;
  std::filesystem::path root_;
  std::string cache_;
  std::string data_;
};

/// A secrets service (quarry.secrets/1). A name that `values` lacks is one that the manifest does
/// not list; one without a value is listed and not set. The name of a secret in a field of a
/// resource is the field's value. Any thread, while no test changes `values`.
class FakeSecrets {
 public:
  using Values = std::map<std::string, std::optional<std::string>, std::less<>>;

  FakeSecrets() : secrets_{sizeof secrets_, this, look_up, keep_hidden} {}
  FakeSecrets(const FakeSecrets&) = delete;
  FakeSecrets& operator=(const FakeSecrets&) = delete;

  [[nodiscard]] const quarry_secrets_v1* get() const { return &secrets_; }
  /// Texts that the plugin asked the host to remove from its output, in order.
  [[nodiscard]] std::vector<std::string> hidden() const {
    const std::lock_guard lock(mutex_);
    return hidden_;
  }

  /// The value of the secret, or the failure with which the host refuses it.
  [[nodiscard]] Outcome<std::string> value_of(const std::string& name) const {
    const auto found = values.find(name);
    if (found == values.end()) {
      return Failure{QUARRY_PERMISSION_DENIED,
                     "the manifest does not list the secret '" + name + "'",
                     "add it to the permissions in plugin.toml",
                     {}};
    }
    if (!found->second) {
      return Failure{
          QUARRY_NOT_FOUND,
          "secret '" + name + "' is not configured",
          "give it as { env = … }, { file = … } or { command = […] } in the configuration",
          {}};
    }
    if (!found->second->empty()) return *found->second;
    return Failure{QUARRY_NOT_FOUND, "secret '" + name + "' is empty", {}, {}};
  }

  Values values;

 private:
  static FakeSecrets& of(const quarry_secrets_v1* self) {
    return *static_cast<FakeSecrets*>(self->context);
  }
  static void look_up(const quarry_secrets_v1* self, const quarry_call* call, quarry_text name,
                      const quarry_reply* reply) {
    const Outcome<std::string> value =
        call == nullptr ? foreign_call() : of(self).value_of(std::string(as_view(name)));
    if (!value) return quarry::detail::fail(reply, value.failure());
    reply->value(reply, as_text(json::quoted(*value)));
  }
  static Outcome<std::string> foreign_call() {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   "the call is missing, or is none of this host's",
                   "pass on the call that the host lent, or open one with quarry_host.open_call",
                   {}};
  }
  static void keep_hidden(const quarry_secrets_v1* self, quarry_text value) {
    const std::lock_guard lock(of(self).mutex_);
    of(self).hidden_.emplace_back(as_view(value));
  }

  quarry_secrets_v1 secrets_;
  mutable std::mutex mutex_;
  std::vector<std::string> hidden_;
};

/// A clock service (quarry.clock/1) that stands still: time passes with advance(), and with sleep,
/// which returns at once. Any thread.
class FakeClock {
 public:
  /// Begins at `wall_ms`, milliseconds since 1970-01-01 UTC.
  explicit FakeClock(std::int64_t wall_ms = 1'700'000'000'000)
      : clock_{sizeof clock_, this, wall_of, steady_of, sleep_for}, wall_(wall_ms * 1'000'000) {}
  FakeClock(const FakeClock&) = delete;
  FakeClock& operator=(const FakeClock&) = delete;

  [[nodiscard]] const quarry_clock_v1* get() const { return &clock_; }
  void advance(std::chrono::nanoseconds by) {
    wall_ += by.count();
    steady_ += by.count();
  }
  /// Sets the wall clock alone, forwards or backwards, as an administrator does.
  void set_wall(std::int64_t wall_ms) { wall_ = wall_ms * 1'000'000; }
  /// Milliseconds of each sleep, as asked for.
  [[nodiscard]] std::vector<std::int64_t> sleeps() const {
    const std::lock_guard lock(mutex_);
    return sleeps_;
  }

 private:
  static FakeClock& of(const quarry_clock_v1* self) {
    return *static_cast<FakeClock*>(self->context);
  }
  static std::int64_t wall_of(const quarry_clock_v1* self) { return of(self).wall_ / 1'000'000; }
  static std::int64_t steady_of(const quarry_clock_v1* self) { return of(self).steady_; }
  static quarry_status sleep_for(const quarry_clock_v1* self, const quarry_call* call,
                                 std::int64_t milliseconds) {
    constexpr std::int64_t kDay = 86'400'000;
    if (call == nullptr) return QUARRY_INVALID_ARGUMENT;
    {
      const std::lock_guard lock(of(self).mutex_);
      of(self).sleeps_.push_back(milliseconds);
    }
    if (const quarry_status state = call->state(call); state != QUARRY_OK) return state;
    const std::int64_t asked = std::clamp<std::int64_t>(milliseconds, 0, kDay);
    const std::int64_t left = std::max<std::int64_t>(0, call->remaining_ms(call));
    of(self).advance(std::chrono::milliseconds(std::min(asked, left)));
    return asked < left ? call->state(call) : QUARRY_DEADLINE_EXCEEDED;
  }

  quarry_clock_v1 clock_;
  std::atomic<std::int64_t> wall_;
  std::atomic<std::int64_t> steady_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::int64_t> sleeps_;
};

}  // namespace quarry::testing

#endif
