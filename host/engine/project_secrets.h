#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "engine/host_services.h"
#include "plugins/store.h"

#include <string>
#include <vector>

namespace quarry::engine {

/// Secrets of the resources of projects, such as the token of a private repository. The owner of
/// the host sets them (quarry projects secret set); callers with tokens can neither set nor name
/// nor see one.
///
/// A secret belongs to one member of one resource of one project, and to the source that this
/// resource had when it was set: another resource added with that name gets an error, not the
/// secret. It has a random id, which is part of every cache key, so that after a project is created
/// again, or the secret set again, no data fetched with the old secret is found.
///
/// The store has its value, or a reference to it, sealed with a key that only the hosts have: an
/// attacker who can write to the store can neither read a secret nor make a host run a command. The
/// key is access.secrets_key of the configuration, else a file of mode 0600 in the host's state
/// directory, created when it is first needed. [worker]
class ProjectSecrets {
 public:
  /// Both must outlive it.
  ProjectSecrets(const config::Config& config, HostServices& host_services)
      : config_(config), host_services_(host_services) {}

  /// Identity of the source of `resource`, canonical, to which its secrets are bound.
  static std::string source_of(const Json& resource);

  /// Seals `what` into `secret`: {"env": name}, {"file": path}, {"command": [argv]} or {"value":
  /// text}.
  Status seal(plugins::SecretRecord& secret, const Json& what);
  /// The reverse of seal(). kPermissionDenied if another key sealed it.
  Result<Json> unseal(const plugins::SecretRecord& secret);

  /// Sets members of `resource`, a canonical one of a project, to the names of its secrets among
  /// `secrets`, and registers these with the host's secrets. Errors may be shown to callers with
  /// tokens; the log has the cause.
  Status insert_names(const std::vector<plugins::SecretRecord>& secrets, Json& resource);

 private:
  enum class IfMissing { kMake, kFail };
  Result<std::string> key(IfMissing if_missing);
  Status insert_name(const plugins::SecretRecord& secret, Json& resource);

  const config::Config& config_;
  HostServices& host_services_;
};

}  // namespace quarry::engine
