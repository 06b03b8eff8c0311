#pragma once

#include <quarry/outcome.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace quarry::pricing_models_dev {

/// [pricing.models-dev]
struct Settings {
  std::string url = "https://models.dev/api.json";
  std::chrono::hours refresh{24};  ///< 0 = never

  /// QUARRY_INVALID_ARGUMENT names the invalid member.
  static Outcome<Settings> read(std::string_view configuration);
};

}  // namespace quarry::pricing_models_dev
