/// quarry.transport/1 for C++: a class with start(call, engine) and stop(grace) is a transport.
#ifndef QUARRY_TRANSPORT_HPP
#define QUARRY_TRANSPORT_HPP

#include <quarry/host.hpp>
#include <quarry/transport.h>

#include <chrono>
#include <concepts>

namespace quarry {

/// Time that a host gives `stop` beside its grace; afterwards it goes on without the transport.
inline constexpr std::chrono::milliseconds kStopTime{5'000};

/// <quarry/transport.h> documents each function; the engine is used through its C table.
template <class T>
concept TransportClass = requires(T& transport, const Call& call, const quarry_engine* engine,
                                  std::chrono::milliseconds grace) {
  { transport.start(call, engine) } -> std::convertible_to<Outcome<std::string>>;
  transport.stop(grace);
};

namespace detail {

template <class T>
struct TransportTable {
  static void start(void* instance, const quarry_call* call, const quarry_engine* engine,
                    const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      return self<T>(instance).start(Call(call), engine);
    });
  }
  static void stop(void* instance, std::int64_t grace_ms) noexcept {
#if defined(__cpp_exceptions)
    try {
      self<T>(instance).stop(std::chrono::milliseconds(grace_ms));
    } catch (...) {  // no reply to fail
    }
#else
    self<T>(instance).stop(std::chrono::milliseconds(grace_ms));
#endif
  }

  static constexpr quarry_transport_v1 kTable{sizeof(quarry_transport_v1), start, stop};
};

}  // namespace detail

/// The component `name` of kind transport.
template <class T>
constexpr quarry_component transport(const char* name, std::uint32_t flags = 0) {
  static_assert(TransportClass<T>, "a transport class needs start(call, engine) and stop(grace)");
  return detail::component<T>(QUARRY_TRANSPORT, name, &detail::TransportTable<T>::kTable, flags);
}

}  // namespace quarry

#endif
