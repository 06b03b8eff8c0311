/// quarry.pricing/1 for C++: a class with `rates(provider, model)` is a price catalogue.
#ifndef QUARRY_PRICING_HPP
#define QUARRY_PRICING_HPP

#include <quarry/host.hpp>
#include <quarry/pricing.h>

#include <concepts>

namespace quarry {

namespace detail {

template <class T>
concept RatesWithCall = requires(T& catalogue, const Call& call, std::string_view text) {
  { catalogue.rates(call, text, text) } -> std::convertible_to<Outcome<std::string>>;
};
template <class T>
concept HasRefresh = requires {
  &T::refresh;
};
template <class T>
concept Refreshes = requires(T& catalogue, const Call& call) {
  { catalogue.refresh(call) } -> std::convertible_to<Outcome<std::string>>;
};

}  // namespace detail

/// <quarry/pricing.h> documents each function. `refresh(call)` is optional; rates may take the call
/// first.
template <class T>
concept PricingClass = detail::RatesWithCall<T> || requires(T& catalogue, std::string_view text) {
  { catalogue.rates(text, text) } -> std::convertible_to<Outcome<std::string>>;
};

namespace detail {

template <class T>
struct PricingTable {
  static void rates(void* instance, [[maybe_unused]] const quarry_call* call, quarry_text provider,
                    quarry_text model, const quarry_reply* reply) noexcept {
    reply_with(reply, [&]() -> Outcome<std::string> {
      if constexpr (RatesWithCall<T>) {
        return self<T>(instance).rates(Call(call), as_view(provider), as_view(model));
      } else {
        return self<T>(instance).rates(as_view(provider), as_view(model));
      }
    });
  }
  static void refresh(void* instance, const quarry_call* call, const quarry_reply* reply) noexcept {
    reply_with(reply,
               [&]() -> Outcome<std::string> { return self<T>(instance).refresh(Call(call)); });
  }

  static_assert(Refreshes<T> || !HasRefresh<T>,
                "refresh must take (const quarry::Call&) and return JSON text");
  static constexpr auto refresher() {
    if constexpr (Refreshes<T>)
      return refresh;
    else
      return nullptr;
  }

  static constexpr quarry_pricing_v1 kTable{sizeof(quarry_pricing_v1), rates, refresher()};
};

}  // namespace detail

/// The component `name` of kind pricing.
template <class T>
constexpr quarry_component pricing(const char* name, std::uint32_t flags = 0) {
  static_assert(PricingClass<T>,
                "a pricing class needs rates(provider, model), giving JSON text or null");
  return detail::component<T>(QUARRY_PRICING, name, &detail::PricingTable<T>::kTable, flags);
}

}  // namespace quarry

#endif
