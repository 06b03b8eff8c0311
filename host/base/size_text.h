#pragma once

#include <cstdint>
#include <string>

namespace quarry {

/// "1.5 MiB", from 10 GiB on "10.0 GiB".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace quarry
