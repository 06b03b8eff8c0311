#pragma once

#include "base/error.h"

#include <string>
#include <string_view>

namespace quarry {

/// `text` encrypted and authenticated with AES-256-GCM (NIST SP 800-38D) under a random nonce, as
/// hexadecimal digits. `key`: 64 hexadecimal digits; kInvalidArgument otherwise. unseal() needs the
/// same `context`, which is authenticated but not contained in the result. [any thread]
Result<std::string> seal(std::string_view key, std::string_view text, std::string_view context);

/// The sealed text. kPermissionDenied when it was sealed with another key or context, or was
/// modified.
Result<std::string> unseal(std::string_view key, std::string_view sealed, std::string_view context);

}  // namespace quarry
