#pragma once

#include "runner/runner.h"

#include <quarry/abi.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::runner {

/// An instance of a component in a runner process. It is created again in a runner that replaces a
/// crashed one. [any thread]
class RemoteInstance {
 public:
  /// `component`: its place in the manifest. `runner` must outlive this.
  RemoteInstance(Runner& runner, std::uint32_t component, std::string_view configuration)
      : runner_(runner),
        component_(component),
        number_(runner.next_instance()),
        configuration_(configuration) {}
  /// Destroys the instance in the runner, if that still runs.
  ~RemoteInstance();
  static RemoteInstance& of(void* instance) { return *static_cast<RemoteInstance*>(instance); }
  RemoteInstance(const RemoteInstance&) = delete;
  RemoteInstance& operator=(const RemoteInstance&) = delete;

  /// Creates the instance; the plugin's outcome is in the answer.
  Result<Answer> create(const quarry_call* call);
  /// Calls a function of the instance; the plugin's outcome is in the answer. `request.instance` is
  /// filled in.
  Result<Answer> call(Request request);
  /// Calls a function of the instance and reports its outcome, or the runner's error, to `reply`.
  void call(Request request, const quarry_reply* reply);
  /// `describe` of any kind.
  static void describe(void* instance, const quarry_call* call, const quarry_reply* reply);
  /// The connection to a runner that has the instance, or creates it within `call`.
  Result<std::shared_ptr<Connection>> connect(const quarry_call* call);
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// A number for an exchange, unique in the runner.
  std::uint32_t next_number() { return runner_.next_instance(); }
  [[nodiscard]] const std::string& configuration() const { return configuration_; }
  /// Directories of the plugin.
  [[nodiscard]] const OwnPlaces& places() const { return runner_.places(); }

 private:
  struct Attached {
    std::shared_ptr<Connection> connection;
    Answer created;  // meaningful if it was created now
  };
  Result<Attached> attach(const quarry_call* call);

  Runner& runner_;
  const std::uint32_t component_;
  const std::uint32_t number_;
  const std::string configuration_;
  std::mutex mutex_;
  std::uint64_t generation_ = 0;          // of the runner that has the instance; 0 = none
  std::weak_ptr<Connection> connection_;  // to it
};

}  // namespace quarry::runner
