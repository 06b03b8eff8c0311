/// quarry.symbols.draft/1 for C++: a class with `describe`, `definitions` and `references` is an
/// analyser.
#ifndef QUARRY_SYMBOLS_HPP
#define QUARRY_SYMBOLS_HPP

#include <quarry/draft/symbols.h>
#include <quarry/host.hpp>

#include <concepts>

namespace quarry {

/// <quarry/draft/symbols.h> documents each function. All return JSON text.
template <class T>
concept SymbolsClass = requires(T& analyser, const Call& call, std::string_view path,
                                std::string_view text) {
  { analyser.describe() } -> std::convertible_to<Outcome<std::string>>;
  { analyser.definitions(call, path, text) } -> std::convertible_to<Outcome<std::string>>;
  { analyser.references(call, path, text, text) } -> std::convertible_to<Outcome<std::string>>;
};

namespace detail {

template <class T>
struct SymbolsTable {
  static void describe(void* instance, const quarry_call*, const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> { return self<T>(instance).describe(); });
  }
  static void definitions(void* instance, const quarry_call* call, quarry_bytes path,
                          quarry_text text, const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      return self<T>(instance).definitions(Call(call), as_view(path), as_view(text));
    });
  }
  static void references(void* instance, const quarry_call* call, quarry_bytes path,
                         quarry_text text, quarry_text name, const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      return self<T>(instance).references(Call(call), as_view(path), as_view(text), as_view(name));
    });
  }

  static constexpr quarry_symbols_v1 kTable{sizeof(quarry_symbols_v1), describe, definitions,
                                            references};
};

}  // namespace detail

/// The component `name` of kind symbols.
template <class T>
constexpr quarry_component symbols(const char* name, std::uint32_t flags = 0) {
  static_assert(SymbolsClass<T>,
                "an analyser class needs describe(), definitions(call, path, text) and "
                "references(call, path, text, name), each giving JSON text");
  return detail::component<T>(QUARRY_SYMBOLS, name, &detail::SymbolsTable<T>::kTable, flags);
}

}  // namespace quarry

#endif
