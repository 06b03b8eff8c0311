#pragma once

#include <chrono>
#include <string_view>

namespace quarry::plugins {

/// A function of the contract.
struct PluginFunction {
  std::string_view name;  ///< as in the SDK's headers
  /// Longest time for a call whose caller sets no earlier deadline.
  std::chrono::milliseconds limit;
  enum class Excludes {
    kNothing,
    kSerial,   ///< [worker]: the others of a component that is QUARRY_SERIAL
    kControl,  ///< [control]: the others of the plugin
  };
  Excludes excludes = Excludes::kNothing;

  [[nodiscard]] bool control() const { return excludes == Excludes::kControl; }
  [[nodiscard]] bool serial() const { return excludes == Excludes::kSerial; }
};

/// Time that a function has to return after its call is over.
inline constexpr std::chrono::milliseconds kReturnGrace{2'000};

namespace function {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Excludes = PluginFunction::Excludes;

inline constexpr PluginFunction kOpen{"open", seconds(10), Excludes::kControl};
inline constexpr PluginFunction kClose{"close", seconds(5), Excludes::kControl};
inline constexpr PluginFunction kCreate{"create", seconds(30), Excludes::kControl};
inline constexpr PluginFunction kDestroy{"destroy", seconds(5), Excludes::kControl};
inline constexpr PluginFunction kDescribe{"describe", seconds(1)};
inline constexpr PluginFunction kNormalise{"normalise", seconds(5), Excludes::kSerial};
inline constexpr PluginFunction kResolve{"resolve", minutes(2), Excludes::kSerial};
inline constexpr PluginFunction kFetch{"fetch", hours(1), Excludes::kSerial};
inline constexpr PluginFunction kParseReference{"parse_reference", seconds(1)};
inline constexpr PluginFunction kGenerate{"generate", hours(1), Excludes::kSerial};
inline constexpr PluginFunction kModels{"models", minutes(2), Excludes::kSerial};
inline constexpr PluginFunction kRates{"rates", seconds(1)};
inline constexpr PluginFunction kRefresh{"refresh", minutes(2), Excludes::kSerial};
// Of an exchange. Called at once on the calling thread, and without a limit, if the plugin came
// with the host and is in this process.
inline constexpr PluginFunction kBegin{"begin", seconds(1)};
inline constexpr PluginFunction kRequest{"request", seconds(1)};
inline constexpr PluginFunction kHead{"head", seconds(1)};
inline constexpr PluginFunction kData{"data", seconds(1)};
inline constexpr PluginFunction kEnd{"end", seconds(1)};
inline constexpr PluginFunction kDestroyExchange{"destroy_exchange", seconds(1)};
inline constexpr PluginFunction kStart{"start", seconds(30), Excludes::kControl};
/// Its caller sets the deadline: the grace and quarry::kStopTime.
inline constexpr PluginFunction kStop{"stop", hours(1), Excludes::kControl};

}  // namespace function
}  // namespace quarry::plugins
