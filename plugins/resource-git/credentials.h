#pragma once

#include "resource-git/fields.h"

#include <quarry/host.hpp>

#include <optional>
#include <string>

namespace quarry::resource_git {

/// Credentials for a repository; the host removes them from what it tells of failures.
struct Credentials {
  std::string authorization;  ///< value of the header (RFC 7617); empty = anonymous
  std::string password;
};

/// Credentials from the resource's token: the password for the user name that its forge expects, or
/// "user:password" when it has a colon. [worker]
Outcome<Credentials> credentials_of_token(const Host& host, const Call& call, const Fields& fields);

/// Credentials from the helpers of the user's own git configuration. [worker]
Outcome<Credentials> credentials_of_helpers(const Host& host, const Call& call,
                                            const Location& location);

/// "Basic …" for user and password.
std::string basic_authorization(std::string_view user_and_password);

}  // namespace quarry::resource_git
