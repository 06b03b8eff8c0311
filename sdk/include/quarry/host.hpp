/// The host and the current call, as plugin classes see them.
#ifndef QUARRY_HOST_HPP
#define QUARRY_HOST_HPP

#include <quarry/clock.h>
#include <quarry/log.h>
#include <quarry/outcome.hpp>

#include <chrono>
#include <concepts>
#include <memory>
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

  /// The C table, null in a test that has no host.
  [[nodiscard]] const quarry_host* get() const { return host_; }

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

/// A call of this plugin (quarry_host::open_call): for a job or a loop, or for a part of another
/// call. Any thread; the host checks its state on the thread that uses it.
class OpenedCall {
 public:
  using State = quarry_status (*)(void* context);

  static constexpr auto kNoLimit = std::chrono::milliseconds::max();

  /// Ends with `parent`, if there is one, and after `limit`: at once if that is zero or less.
  explicit OpenedCall(const Host& host, const Call* parent = nullptr,
                      std::chrono::milliseconds limit = kNoLimit, State state = nullptr,
                      void* context = nullptr)
      : host_(host.get()),
        call_(host_->open_call(host_, parent == nullptr ? nullptr : parent->get(), limit.count(),
                               state, context)) {}
  ~OpenedCall() { host_->close_call(host_, call_.get()); }
  OpenedCall(const OpenedCall&) = delete;
  OpenedCall& operator=(const OpenedCall&) = delete;

  [[nodiscard]] const Call& call() const { return call_; }

 private:
  const quarry_host* host_;
  Call call_;
};

namespace detail {

template <class T>
concept HasCreate = requires {
  &T::create;
};
template <class T>
concept CreatedByCall = requires(Host host, const Call& call, std::string_view configuration) {
  { T::create(host, call, configuration) } -> std::convertible_to<Outcome<std::unique_ptr<T>>>;
};
template <class T>
concept CreatedByConfiguration = requires(Host host, std::string_view configuration) {
  { T::create(host, configuration) } -> std::convertible_to<Outcome<std::unique_ptr<T>>>;
};
/// A constructor that would be passed over, because its parameters bind to variables only.
template <class T>
concept TakesVariables = (
                             requires(Host & host, std::string_view& text) { T(host, text); } &&
                             !requires { T(Host(nullptr), std::string_view()); }) ||
                         (
                             requires(Host & host) { T(host); } && !requires { T(Host(nullptr)); });

/// Constructs a T from (Host, configuration), from (Host) or without arguments, by the first of
/// these that T has. A static `Outcome<std::unique_ptr<T>> T::create(Host, const Call&,
/// std::string_view configuration)`, with or without the call, takes precedence and may fail.
template <class T>
void create(const quarry_host* host, [[maybe_unused]] const quarry_call* call,
            quarry_text configuration, void** instance, const quarry_reply* reply) noexcept {
  static_assert(!HasCreate<T> || CreatedByCall<T> || CreatedByConfiguration<T>,
                "create must be static and take (quarry::Host, const quarry::Call&, "
                "std::string_view configuration), the call optional, and return "
                "quarry::Outcome<std::unique_ptr<T>>");
  static_assert(!TakesVariables<T>,
                "the constructor must take quarry::Host and std::string_view by value");
  reply_with(reply, [&]() -> Outcome<std::string> {
    if constexpr (CreatedByCall<T>) {
      Outcome<std::unique_ptr<T>> made = T::create(Host(host), Call(call), as_view(configuration));
      if (!made) return made.failure();
      *instance = (*made).release();
    } else if constexpr (CreatedByConfiguration<T>) {
      Outcome<std::unique_ptr<T>> made = T::create(Host(host), as_view(configuration));
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
concept DescribesWithCall = requires(T& type, const Call& call) {
  { type.describe(call) } -> std::convertible_to<Outcome<std::string>>;
};
/// T has describe(), which may take the call, and returns JSON text.
template <class T>
concept Describes = DescribesWithCall<T> || requires(T& type) {
  { type.describe() } -> std::convertible_to<Outcome<std::string>>;
};

template <class T>
void describe(void* instance, [[maybe_unused]] const quarry_call* call,
              const quarry_reply* reply) noexcept {
  reply_with(reply, [&]() -> Outcome<std::string> {
    if constexpr (DescribesWithCall<T>) {
      return self<T>(instance).describe(Call(call));
    } else {
      return self<T>(instance).describe();
    }
  });
}

template <class T>
constexpr quarry_component component(const char* kind, const char* name, const void* table,
                                     std::uint32_t flags) {
  return {sizeof(quarry_component), flags, kind, name, table, create<T>, destroy<T>};
}

}  // namespace detail
}  // namespace quarry

#endif
