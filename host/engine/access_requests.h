#pragma once

#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
#include "engine/params.h"
#include "plugins/store.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// Token and project of the caller for which a method acts.
struct PrincipalRequest {
  std::string token;    ///< id
  std::string project;  ///< as the caller named it; empty = the token's own
};

// Rules of parameters, and what checked parameters say.

/// Nothing if the method acts for the owner.
std::optional<PrincipalRequest> principal_in(const Json& params);

extern const ParamsRule kAdmitParams;  ///< access.admit
struct AdmitRequest {
  std::string authorization;
  bool count = true;
  std::string peer;  ///< an IP address; empty = unknown
};
AdmitRequest read_admit(const Json& params);

extern const ParamsRule kSessionParams;  ///< sessions.*
struct SessionRequest {
  PrincipalRequest principal;
  std::string session;  ///< empty for sessions.open
};
SessionRequest read_session(const Json& params);

extern const ParamsRule kCallParams;  ///< access.record
/// An audit entry without the fields that the host adds.
struct CallRequest {
  plugins::AuditEntry entry;
  std::string question;  ///< id; may be empty
};
CallRequest read_call(const Json& params);

extern const ParamsRule kProjectParams;      ///< projects.create
extern const ParamsRule kProjectNameParams;  ///< "project"?
/// RequestError for an amount of money that is none.
Result<plugins::ProjectRecord> read_project(const Json& params, Clock::Wall now);

extern const ParamsRule kTokenParams;  ///< tokens.create
/// The record has no id. `expires` is an age such as "90d" or "12h". RequestError for an amount of
/// money that is none.
Result<plugins::TokenRecord> read_token(const Json& params, Clock::Wall now);

/// A secret of a resource of a project. `what` is {"env": …}, {"file": …}, {"command": […]} or
/// {"value": …}.
struct SecretRequest {
  std::string project;
  std::string resource;
  std::string member;
  Json what;
};
extern const ParamsRule kSecretParams;       ///< projects.secrets.set
extern const ParamsRule kSecretPlaceParams;  ///< projects.secrets.remove
/// RequestError unless there is exactly one of `env`, `file`, `command` and `value`.
Result<SecretRequest> read_secret(const Json& params);
SecretRequest read_secret_place(const Json& params);  ///< without `what`

}  // namespace quarry::engine
