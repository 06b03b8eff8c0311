/// Everything a plugin in C++20 needs. A component is a class with the right functions, without a
/// base class:
///
///   struct Hello { … };
///   QUARRY_PLUGIN("org.example.hello", "1.0.0", quarry::resource<Hello>("hello"))
#ifndef QUARRY_PLUGIN_HPP
#define QUARRY_PLUGIN_HPP

#include <quarry/model.hpp>
#include <quarry/plugin.h>
#include <quarry/pricing.hpp>
#include <quarry/resource.hpp>
#include <quarry/transport.hpp>

#include <array>
#include <utility>

namespace quarry::detail {

template <std::size_t N, std::size_t... Index>
constexpr std::array<const quarry_component*, N> pointers(
    const std::array<quarry_component, N>& components, std::index_sequence<Index...>) {
  return {&components[Index]...};
}

}  // namespace quarry::detail

/// Defines the entry of a plugin: id and version as in its manifest, then its components. Once per
/// plugin, at namespace scope.
#define QUARRY_PLUGIN(plugin_id, plugin_version, ...)                                         \
  namespace {                                                                                 \
  constexpr std::array quarry_plugin_components{__VA_ARGS__};                                 \
  constexpr auto quarry_plugin_pointers = quarry::detail::pointers(                           \
      quarry_plugin_components, std::make_index_sequence<quarry_plugin_components.size()>()); \
  }                                                                                           \
  extern "C" {                                                                                \
  QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;                             \
  const quarry_entry quarry_plugin_entry_v1 = {                                               \
      sizeof(quarry_entry),                                                                   \
      QUARRY_ABI_MAJOR,                                                                       \
      QUARRY_ABI_MINOR,                                                                       \
      QUARRY_MINIMUM_HOST_MINOR,                                                              \
      plugin_id,                                                                              \
      plugin_version,                                                                         \
      nullptr,                                                                                \
      nullptr,                                                                                \
      static_cast<std::uint32_t>(quarry_plugin_pointers.size()),                              \
      quarry_plugin_pointers.data()};                                                         \
  }

#endif
