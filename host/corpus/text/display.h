#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// A path or pattern of any bytes as one line of UTF-8.
[[nodiscard]] std::string shown(std::string_view path);

/// A size for display: "312 B", "4.5 KB", "2.0 MB".
[[nodiscard]] std::string shown_size(std::uint64_t bytes);

/// "1 file", "3 files".
[[nodiscard]] std::string counted(std::size_t count, std::string_view thing);

}  // namespace quarry::corpus
