/// The host and the current call, as plugin classes see them.
#ifndef QUARRY_HOST_HPP
#define QUARRY_HOST_HPP

#include <quarry/clock.h>
#include <quarry/log.h>
#include <quarry/outcome.hpp>

#include <chrono>
#include <string_view>

namespace quarry {

/// The host's services. Cheap to copy; valid until the plugin is closed. Any thread.
class Host {
 public:
  explicit Host(const quarry_host* host) : host_(host) {}

  /// A service by id, null when the host does not offer it:
  /// `host.service<quarry_paths_v1>(QUARRY_PATHS)`.
  template <class Table>
  const Table* service(const char* id) const {
    return static_cast<const Table*>(host_->service(host_, id));
  }

  /// Writes a line to the host's log; `level` is QUARRY_LOG_….
  void log(std::int32_t level, std::string_view message) const {
    const auto* log = service<quarry_log_v1>(QUARRY_LOG);
    if (log != nullptr) log->write(log, level, as_text(message));
  }

 private:
  const quarry_host* host_;
};

/// The call that a function serves.
class Call {
 public:
  explicit Call(const quarry_call* call) : call_(call) {}

  /// True once the call was cancelled or its deadline passed: return soon.
  [[nodiscard]] bool over() const { return call_->state(call_) != QUARRY_OK; }
  /// The failure to return when over() is true.
  [[nodiscard]] Failure why() const {
    const quarry_status state = call_->state(call_);
    return {
        state, state == QUARRY_DEADLINE_EXCEEDED ? "the deadline has passed" : "cancelled", {}, {}};
  }
  /// Reports progress: a JSON object with "message", "done" and "total".
  void progress(std::string_view json) const { call_->progress(call_, as_text(json)); }
  /// The C table, for services that take a call.
  [[nodiscard]] const quarry_call* get() const { return call_; }

 private:
  const quarry_call* call_;
};

namespace detail {

/// Constructs a T from (Host, configuration), from (Host) or without arguments, by the first of
/// these that T has. A static `Outcome<std::unique_ptr<T>> T::create(Host, std::string_view
/// configuration)` takes precedence and may fail.
template <class T>
void create(const quarry_host* host, quarry_text configuration, void** instance,
            const quarry_reply* reply) noexcept {
  reply_with(reply, [&]() -> Outcome<std::string> {
    if constexpr (requires { T::create(Host(host), as_view(configuration)); }) {
      auto made = T::create(Host(host), as_view(configuration));
      if (!made) return made.failure();
      *instance = (*made).release();
    } else if constexpr (requires { T(Host(host), as_view(configuration)); }) {
      *instance = new T(Host(host), as_view(configuration));
    } else if constexpr (requires { T(Host(host)); }) {
      *instance = new T(Host(host));
    } else {
      *instance = new T();
    }
    return std::string("{}");
  });
}

template <class T>
void destroy(void* instance) noexcept {
  delete static_cast<T*>(instance);
}

template <class T>
T& self(void* instance) {
  return *static_cast<T*>(instance);
}

template <class T>
constexpr quarry_component component(const char* kind, const char* name, const void* table,
                                     std::uint32_t flags) {
  return {sizeof(quarry_component), flags, kind, name, table, create<T>, destroy<T>};
}

}  // namespace detail
}  // namespace quarry

#endif
