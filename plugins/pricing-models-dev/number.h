#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::pricing_models_dev {

/// A JSON number as plain decimal dollars: "7.5e-2" is "0.075", "0.19999999999999998" is "0.2".
/// Rounded half up to 9 digits after the point, which removes the noise of binary floats. nullopt
/// when it is not a number, negative, or more than 1,000,000.
std::optional<std::string> plain_dollars(std::string_view number);

}  // namespace quarry::pricing_models_dev
