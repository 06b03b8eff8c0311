#pragma once

#include "base/clock.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::access {

/// A session of a client. Only hosts with the key can make and verify it.
struct SessionText {
  std::string id;  ///< 32 hexadecimal digits
  Clock::Wall expires;
};

/// "<id>.<expires>.<signature>", letters, digits and '.', valid with `token` only.
std::string write_session(const SessionText& session, std::string_view token, std::string_view key);

/// Nothing if the text was not made with this key for this token. Does not check the expiry.
std::optional<SessionText> read_session(std::string_view text, std::string_view token,
                                        std::string_view key);

}  // namespace quarry::access
