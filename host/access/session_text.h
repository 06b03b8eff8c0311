#pragma once

#include "base/clock.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::access {

/// A session of a client: known again by every host that has the key, and by nobody else made.
struct SessionText {
  std::string id;  ///< 32 hexadecimal digits
  Clock::Wall expires;
};

/// "<id>.<expires>.<signature>", letters, digits and '.', for the bearer of `token`.
std::string write_session(const SessionText& session, std::string_view token, std::string_view key);

/// Nothing when the text was not made with this key for this token. Says nothing of its expiry.
std::optional<SessionText> read_session(std::string_view text, std::string_view token,
                                        std::string_view key);

}  // namespace quarry::access
