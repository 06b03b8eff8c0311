#pragma once

#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
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

// Each function parses the params of one method of <quarry/transport.h>. Errors list every mistake
// in the details, tag RequestError.

/// Nothing if the method acts for the owner.
Result<std::optional<PrincipalRequest>> read_principal(std::string_view params);

struct AdmitRequest {
  std::string authorization;
  bool count = true;
  std::string peer;  ///< an IP address; empty = unknown
};
Result<AdmitRequest> read_admit(std::string_view params);

struct SessionRequest {
  PrincipalRequest principal;
  std::string session;  ///< empty for sessions.open
};
Result<SessionRequest> read_session(std::string_view params);

/// An audit entry without the fields that the host adds.
struct CallRequest {
  plugins::AuditEntry entry;
  std::string question;  ///< id; may be empty
};
Result<CallRequest> read_call(std::string_view params);

/// projects.create
Result<plugins::ProjectRecord> read_project(std::string_view params, Clock::Wall now);
/// tokens.create; the record has no id. `expires` is an age such as "90d" or "12h".
Result<plugins::TokenRecord> read_token(std::string_view params, Clock::Wall now);

/// A secret of a resource of a project. `what` is {"env": …}, {"file": …}, {"command": […]} or
/// {"value": …}.
struct SecretRequest {
  std::string project;
  std::string resource;
  std::string member;
  Json what;
};
Result<SecretRequest> read_secret(std::string_view params);
Result<SecretRequest> read_secret_place(std::string_view params);  ///< without `what`

}  // namespace quarry::engine
