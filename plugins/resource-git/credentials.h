#pragma once

#include "resource-git/fields.h"

#include <quarry/host.hpp>

#include <optional>
#include <string>

namespace quarry::resource_git {

/// Who asks for a repository; the host is told to keep it out of what it prints.
struct Credentials {
  std::string authorization;  ///< value of the header (RFC 7617); empty = nobody in particular
  std::string password;

  /// `text` without the password and without the header's value, should a server repeat them.
  [[nodiscard]] std::string cut_from(std::string text) const;
};

/// Of the resource's token: as the password of the user name that its forge expects, or as
/// "user:password" when it has a colon. [worker]
Outcome<Credentials> credentials_of_token(const Host& host, const Call& call, const Fields& fields);

/// What the helpers of the user's own git configuration know. [worker]
Outcome<Credentials> credentials_of_helpers(const Host& host, const Call& call,
                                            const Location& location);

/// "Basic …" of user and password.
std::string basic_authorization(std::string_view user_and_password);

}  // namespace quarry::resource_git
