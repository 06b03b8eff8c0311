#include "services/service_manager.h"

#include "base/file.h"
#include "base/text.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <time.h>

#include <sys/socket.h>
#include <sys/un.h>

namespace quarry::services {
namespace {

std::string text_of(const ServiceManager::Environment& environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failed == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

/// Microseconds since the machine has started, as the service manager counts them.
std::int64_t monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

ServiceManager::ServiceManager(const Environment& environment, int self)
    : socket_(text_of(environment, "NOTIFY_SOCKET")) {
  const auto time = number_in(text_of(environment, "WATCHDOG_USEC"));
  const std::string watched = text_of(environment, "WATCHDOG_PID");
  if (time && *time > 0 && (watched.empty() || number_in(watched) == self)) {
    watchdog_ = std::chrono::microseconds(*time);
  }
  if (number_in(text_of(environment, "LISTEN_PID")) != self) return;
  const std::string names = text_of(environment, "LISTEN_FDNAMES");
  const auto count = number_in(text_of(environment, "LISTEN_FDS")).value_or(0);
  for (const std::string_view name : split(names, ':')) {
    if (std::ssize(socket_names_) < count) socket_names_.emplace_back(name);
  }
}

void ServiceManager::tell_ready(std::string_view status) const {
  tell("READY=1\nSTATUS=" + std::string(status));
}

void ServiceManager::tell_reloading() const {
  tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_now()));
}

void ServiceManager::tell_stopping() const {
  tell("STOPPING=1");
}

void ServiceManager::tell_replaced_by(int id) const {
  tell("MAINPID=" + std::to_string(id));
}

void ServiceManager::tell_alive() const {
  tell("WATCHDOG=1");
}

/// A manager that cannot be told is one that no longer waits.
void ServiceManager::tell(const std::string& state) const {
  sockaddr_un to{};
  if (socket_.size() < 2 || socket_.size() >= sizeof to.sun_path) return;
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, socket_.data(), socket_.size());
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';  // an abstract address
  const Fd from(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  static_cast<void>(::sendto(from.get(), state.data(), state.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&to), size));
}

}  // namespace quarry::services
