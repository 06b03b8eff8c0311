#pragma once

#include "services/call.h"
#include "services/process.h"
#include "services/redactor.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// Where a secret comes from; its value only when that is kept, encrypted, in a store.
struct SecretSource {
  enum class From { kEnvironment, kFile, kCommand, kValue };
  From from;
  std::vector<std::string> what;  ///< the variable, the file, the command's argv, or the value
  friend bool operator==(const SecretSource&, const SecretSource&) = default;
};

/// Named secrets, each fetched when first asked for, kept, and known to the redactor from then on.
/// Errors name the secret and its source, never a value. [worker, several at once]
class SecretStore {
 public:
  using Environment = std::function<const char*(const char* name)>;

  /// `processes` and `redactor` must outlive the store.
  SecretStore(std::map<std::string, SecretSource> sources, Environment environment,
              const ProcessRunner& processes, Redactor& redactor);

  /// From now on these sources hold, for names known before too; a source that did not change keeps
  /// the value it was fetched from. Other names stay as they are.
  void update(std::map<std::string, SecretSource> sources);
  /// Makes `name` known, unless it is, as the variable of that name.
  void offer(const std::string& variable);
  /// The value without the line end at its end. kNotFound when there is no such secret or it is not
  /// set; what a command failed with. A command has 30 seconds at most. Failures are not kept.
  Result<std::string> get(std::string_view name, const Call& call);
  /// get() for the source that stands behind `name` now: a later update() changes nothing in it.
  [[nodiscard]] std::function<Result<std::string>(const Call&)> hold(std::string_view name);
  /// Whether `source` has a value at present; the value is not kept.
  Status check(const SecretSource& source, const Call& call) const;
  /// Makes `value`, a secret of `owner` that is none of these, known to the redactor. [any thread]
  void hide(std::string_view owner, std::string_view value) { redactor_.add(owner, value); }
  /// The value if it was fetched before; never waits. [any thread]
  std::optional<std::string> known(std::string_view name) const;

 private:
  struct Entry {
    SecretSource source;
    std::mutex mutex;  ///< one fetch at a time, however many ask
    bool known = false;
    std::string value;
  };

  [[nodiscard]] std::shared_ptr<Entry> find(std::string_view name) const;
  Result<std::string> value_of(const std::string& name, Entry* entry, const Call& call);
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
