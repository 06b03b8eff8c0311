#pragma once

#include "base/error.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace quarry {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits (FIPS 180-4). [any thread]
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// True for 64 lower-case hexadecimal digits, the format of sha256_hex. [any thread]
[[nodiscard]] bool is_sha256_hex(std::string_view text);

/// HMAC-SHA-256 of `bytes` under `key` (RFC 2104), in the format of sha256_hex. [any thread]
[[nodiscard]] std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

/// Two lower-case hexadecimal digits for every byte.
[[nodiscard]] std::string to_hex(std::string_view bytes);

/// SHA-256 of a file's bytes, in the format of sha256_hex.
Result<std::string> sha256_file(const std::filesystem::path& path);

}  // namespace quarry
