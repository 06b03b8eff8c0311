#pragma once

#include "services/call.h"
#include "services/process.h"
#include "services/redactor.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// Source of a secret; contains the value itself only when that is kept, encrypted, in a store.
struct SecretSource {
  enum class From { kEnvironment, kFile, kCommand, kValue };
  From from;
  std::vector<std::string> what;  ///< the variable, the file, the command's argv, or the value
  friend bool operator==(const SecretSource&, const SecretSource&) = default;
};

/// Named secrets, each fetched on first use, cached and registered with the redactor. Errors name
/// the secret and its source, never a value. [worker, several at once]
class SecretStore {
 public:
  using Environment = std::function<const char*(const char* name)>;

  /// `processes` and `redactor` must outlive the store.
  SecretStore(std::map<std::string, SecretSource> sources, Environment environment,
              const ProcessRunner& processes, Redactor& redactor);

  /// Adds or replaces these sources; an unchanged source keeps its cached value. Other names are
  /// unaffected.
  void update(std::map<std::string, SecretSource> sources);
  /// Adds the environment variable `variable` as a secret of that name unless the name is known.
  void offer(const std::string& variable);
  /// The value without its final line end. kNotFound if there is no such secret or it is not set;
  /// otherwise the failure of its command, which may run for at most 30 seconds, or of the call.
  /// Who asks while it is fetched gets the outcome of that; who asks after a failure fetches again.
  Result<std::string> get(std::string_view name, const Call& call);
  /// get() bound to the current source of `name`; later update() calls do not affect it.
  [[nodiscard]] std::function<Result<std::string>(const Call&)> hold(std::string_view name);
  /// Checks that `source` has a value now; the value is not cached.
  Status check(const SecretSource& source, const Call& call) const;
  /// Registers `value`, a secret of `owner` outside this store, with the redactor. [any thread]
  void hide(std::string_view owner, std::string_view value) { redactor_.add(owner, value); }
  /// The cached value, if any; waits for no fetch. [any thread]
  std::optional<std::string> known(std::string_view name) const;

 private:
  /// Outcome of a fetch for those who wait for it.
  struct Fetch {
    bool ended = false;
    std::optional<Error> failure = {};  ///< of the source; empty if the call was over before
  };
  struct Entry {
    SecretSource source;
    std::mutex mutex;                        ///< of what follows
    std::condition_variable ended;           ///< a fetch
    std::shared_ptr<Fetch> fetch = nullptr;  ///< that runs now; null = none
    std::optional<std::string> value = {};   ///< once it was fetched
  };

  [[nodiscard]] std::shared_ptr<Entry> find(std::string_view name) const;
  Result<std::string> value_of(const std::string& name, Entry* entry, const Call& call);
  Result<std::string> fetch_alone(const std::string& name, Entry& entry, const Call& call,
                                  std::unique_lock<std::mutex>& lock);
  Result<std::string> fetch(const SecretSource& source, const Call& call) const;
  Result<std::string> from_environment(const std::string& variable) const;
  Result<std::string> from_command(const std::vector<std::string>& argv, const Call& call) const;

  mutable std::mutex entries_mutex_;
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_;
  Environment environment_;
  const ProcessRunner& processes_;
  Redactor& redactor_;
};

}  // namespace quarry::services
