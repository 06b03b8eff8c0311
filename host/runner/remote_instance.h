#pragma once

#include "runner/runner.h"

#include <quarry/abi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::runner {

/// An instance of a component in the runners of its plugin, in each of which it is created when it
/// is used there first. A call that ends with its runner and has not ended it is made once more:
/// all functions that go this way are idempotent. [any thread]
class RemoteInstance {
 public:
  /// `component`: its place in the manifest. `runner` must outlive this.
  RemoteInstance(Runner& runner, std::uint32_t component, std::string_view configuration)
      : runner_(runner),
        component_(component),
        number_(runner.next_instance()),
        configuration_(configuration) {}
  /// Destroys the instance where it was created.
  ~RemoteInstance() { runner_.destroy(number_); }
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
  /// The connection to the runner of the call's project, which has the instance; the runner is not
  /// ended as unused while it is held.
  Result<std::shared_ptr<Connection>> connect(const quarry_call* call, Lost& lost);
  /// The connection to a runner where what was `lost` may be begun again; the error `why` if it may
  /// not.
  Result<std::shared_ptr<Connection>> connect_again(const quarry_call* call, Lost& lost,
                                                    const Error& why);
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// A number for an exchange, unique in the runner.
  std::uint32_t next_number() { return runner_.next_instance(); }
  [[nodiscard]] const std::string& configuration() const { return configuration_; }
  /// Directories of the plugin.
  [[nodiscard]] const OwnPlaces& places() const { return runner_.places(); }

 private:
  Result<std::shared_ptr<Connection>> connect_to(const Result<Runner::Lease>& lease,
                                                 const quarry_call* call, Lost& lost);
  Result<Runner::Lease> lease_again(const quarry_call* call, Lost& lost);
  Result<Answer> make(const Result<Runner::Lease>& lease, Request request, Lost& lost);
  Result<Answer> create_in(RunningPlugin& running, const quarry_call* call, Lost& lost);

  Runner& runner_;
  const std::uint32_t component_;
  const std::uint32_t number_;
  const std::string configuration_;
};

}  // namespace quarry::runner
