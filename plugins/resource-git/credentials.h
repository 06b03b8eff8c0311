#pragma once

#include "resource-git/fields.h"

#include <quarry/host.hpp>

#include <optional>
#include <string>

namespace quarry::resource_git {

/// The value of an Authorization header (RFC 7617) for a repository: its token's, as the password
/// of the user name that its forge expects, or as "user:password" when it has a colon. Empty when
/// it has no token. Both forms are hidden from the host's output. [worker]
Outcome<std::string> token_authorization(const Host& host, const Call& call, const Fields& fields);

/// What the helpers of the user's own git configuration know; empty when they know nothing.
/// [worker]
Outcome<std::string> helper_authorization(const Host& host, const Call& call,
                                          const Location& location);

/// "Basic …" of user and password.
std::string basic_authorization(std::string_view user_and_password);

}  // namespace quarry::resource_git
