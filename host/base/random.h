#pragma once

#include <cstddef>
#include <string>

namespace quarry {

/// `bytes` cryptographically random bytes from the operating system as lower-case hexadecimal
/// digits. [any thread]
[[nodiscard]] std::string random_hex(std::size_t bytes);

}  // namespace quarry
