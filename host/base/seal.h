#pragma once

#include "base/error.h"

#include <string>
#include <string_view>

namespace quarry {

/// `text` encrypted and authenticated with AES-256-GCM (NIST SP 800-38D) under a random nonce, as
/// hexadecimal digits. `key`: 64 hexadecimal digits; kInvalidArgument otherwise. It opens for the
/// same `context` alone, which is not part of it. [any thread]
Result<std::string> seal(std::string_view key, std::string_view text, std::string_view context);

/// What was sealed. kPermissionDenied when it was sealed with another key or for another context,
/// or was changed.
Result<std::string> unseal(std::string_view key, std::string_view sealed, std::string_view context);

}  // namespace quarry
