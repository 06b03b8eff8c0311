#pragma once

#include <cstddef>
#include <string>

namespace quarry {

/// That many random bytes of the operating system as lower-case hexadecimal digits: nobody guesses
/// them. [any thread]
[[nodiscard]] std::string random_hex(std::size_t bytes);

}  // namespace quarry
