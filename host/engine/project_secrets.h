#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "engine/host_services.h"
#include "plugins/store.h"

#include <string>
#include <vector>

namespace quarry::engine {

/// The secrets that the resources of projects are read with, such as the token of a private
/// repository. The owner of the host sets them (quarry projects secret set); callers with tokens
/// can neither set nor name nor see one.
///
/// A secret is for one member of one resource of one project, and for the source that this resource
/// had when it was set: whoever adds another resource of that name gets an error, not the secret.
/// It has a random id, so that after a project was made anew, or the secret set anew, nothing that
/// was fetched with the old one is found: the id is part of every key of the caches.
///
/// The store holds what it is, or the reference to where it is found, sealed with a key that only
/// the hosts have: who can write to the store can neither read a secret nor have a host run a
/// command. The key is access.secrets_key of the configuration, else a file of mode 0600 in the
/// host's state directory, made when it is first needed. [worker]
class ProjectSecrets {
 public:
  /// Both must outlive it.
  ProjectSecrets(const config::Config& config, HostServices& host_services)
      : config_(config), host_services_(host_services) {}

  /// What a secret set for `resource`, canonical, is bound to.
  static std::string source_of(const Json& resource);

  /// Seals `what` into `secret`: {"env": name}, {"file": path}, {"command": [argv]} or {"value":
  /// text}.
  Status seal(plugins::SecretRecord& secret, const Json& what);
  /// That again. kPermissionDenied when another key sealed it.
  Result<Json> unseal(const plugins::SecretRecord& secret);

  /// Sets the members of `resource`, a canonical one of a project, to the names of its secrets
  /// among `secrets`, whose values are known from then on. Failures are fit for callers with
  /// tokens: the log says more.
  Status give(const std::vector<plugins::SecretRecord>& secrets, Json& resource);

 private:
  enum class IfMissing { kMake, kFail };
  Result<std::string> key(IfMissing if_missing);
  Status give_one(const plugins::SecretRecord& secret, Json& resource);

  const config::Config& config_;
  HostServices& host_services_;
};

}  // namespace quarry::engine
