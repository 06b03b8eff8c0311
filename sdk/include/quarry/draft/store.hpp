/// quarry.store.draft/1 for C++: a class with a method for each function of the table is a store.
#ifndef QUARRY_STORE_HPP
#define QUARRY_STORE_HPP

#include <quarry/draft/store.h>
#include <quarry/host.hpp>

#include <concepts>

namespace quarry {

/// <quarry/draft/store.h> documents each function. All take the call and a JSON object, and return
/// one. `set_secret`, `secrets` and `remove_secret` are optional: all of them or none; the same for
/// `schema`, `dump` and `load`.
template <class T>
concept StoreClass = requires(T& store, Call call, std::string_view request) {
  { store.open(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.key(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.create_project(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.projects(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.remove_project(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.create_token(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.tokens(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.find_token(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.revoke_token(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.resources(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.add_resource(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.remove_resource(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.exchange(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.reserve(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.settle(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.end_session(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.record(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.audit(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.forget(call, request) } -> std::convertible_to<Outcome<std::string>>;
};

namespace detail {

template <class T>
concept KeepsSecrets = requires(T& store, Call call, std::string_view request) {
  { store.set_secret(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.secrets(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.remove_secret(call, request) } -> std::convertible_to<Outcome<std::string>>;
};

template <class T>
concept CanBeBackedUp = requires(T& store, Call call, std::string_view request) {
  { store.schema(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.dump(call, request) } -> std::convertible_to<Outcome<std::string>>;
  { store.load(call, request) } -> std::convertible_to<Outcome<std::string>>;
};

template <class T>
struct StoreTable {
  template <auto function>
  static void run(void* instance, const quarry_call* call, quarry_text request,
                  const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      return (self<T>(instance).*function)(Call(call), as_view(request));
    });
  }

  /// NULL when T has no such function.
  static constexpr quarry_store_function token_hashes() {
    if constexpr (requires { &T::token_hashes; }) {
      return run<&T::token_hashes>;
    } else {
      return nullptr;
    }
  }

  static constexpr quarry_store_v1 make() {
    quarry_store_v1 table{sizeof(quarry_store_v1),
                          run<&T::open>,
                          run<&T::key>,
                          run<&T::create_project>,
                          run<&T::projects>,
                          run<&T::remove_project>,
                          run<&T::create_token>,
                          run<&T::tokens>,
                          run<&T::find_token>,
                          run<&T::revoke_token>,
                          run<&T::resources>,
                          run<&T::add_resource>,
                          run<&T::remove_resource>,
                          run<&T::exchange>,
                          run<&T::reserve>,
                          run<&T::settle>,
                          run<&T::end_session>,
                          run<&T::record>,
                          run<&T::audit>,
                          run<&T::forget>,
                          token_hashes(),
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};
    if constexpr (KeepsSecrets<T>) {
      table.set_secret = run<&T::set_secret>;
      table.secrets = run<&T::secrets>;
      table.remove_secret = run<&T::remove_secret>;
    }
    if constexpr (CanBeBackedUp<T>) {
      table.schema = run<&T::schema>;
      table.dump = run<&T::dump>;
      table.load = run<&T::load>;
    }
    return table;
  }

  static constexpr quarry_store_v1 kTable = make();
};

}  // namespace detail

/// The component `name` of kind store.
template <class T>
constexpr quarry_component store(const char* name, std::uint32_t flags = 0) {
  static_assert(StoreClass<T>,
                "a store class needs a method for each function of quarry_store_v1, which takes "
                "(Call, JSON text) and gives JSON text");
  return detail::component<T>(QUARRY_STORE, name, &detail::StoreTable<T>::kTable, flags);
}

}  // namespace quarry

#endif
