#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// The service manager that started this program, by the protocols of sd_notify(3),
/// sd_watchdog_enabled(3) and sd_listen_fds(3); without one, telling has no effect. [any thread]
class ServiceManager {
 public:
  using Environment = std::function<const char*(const char* name)>;

  /// `self`: the id of this process.
  ServiceManager(const Environment& environment, int self);

  /// The program serves; `status` is one line for a person.
  void tell_ready(std::string_view status) const;
  /// It reads its configuration again; tell_ready follows.
  void tell_reloading() const;
  void tell_stopping() const;
  /// The process `id`, started by this one, is the service from now on.
  void tell_replaced_by(int id) const;
  /// It works; to be told more often than watchdog().
  void tell_alive() const;

  /// The time in which the program must tell that it works; nothing = it need not.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }
  /// The names of the sockets that were passed to this process.
  [[nodiscard]] const std::vector<std::string>& socket_names() const { return socket_names_; }

 private:
  void tell(const std::string& state) const;

  std::string socket_;
  std::optional<std::chrono::microseconds> watchdog_;
  std::vector<std::string> socket_names_;
};

}  // namespace quarry::services
