#include "engine/project_secrets.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/seal.h"
#include "base/text.h"
#include "resources/metadata.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr const char* kConfiguredKey = "access.secrets_key";
constexpr std::size_t kKeyBytes = 32;

using services::SecretSource;

/// Associated data of a sealed text, so that rows of the store cannot be exchanged.
std::string context_of(const plugins::SecretRecord& secret) {
  return to_text({{"id", secret.id},
                  {"project", to_lower(secret.project)},
                  {"resource", to_lower(secret.resource)},
                  {"member", secret.member},
                  {"source", secret.source}});
}

SecretSource source_in(const Json& what) {
  const std::string& kind = what.begin().key();
  const Json& value = what.begin().value();
  if (kind == "command")
    return {SecretSource::From::kCommand, value.get<std::vector<std::string>>()};
  const auto from = kind == "env"    ? SecretSource::From::kEnvironment
                    : kind == "file" ? SecretSource::From::kFile
                                     : SecretSource::From::kValue;
  return {from, {value.get<std::string>()}};
}

std::string how_to_set(const plugins::SecretRecord& secret) {
  return "quarry projects secret set " + secret.project + " " + secret.resource + "." +
         secret.member;
}

}  // namespace

std::string ProjectSecrets::source_of(const Json& resource) {
  return sha256_hex(resources::source_of(resource));
}

Result<std::string> ProjectSecrets::key(IfMissing if_missing) {
  if (config_.secrets.contains(kConfiguredKey)) {
    return host_services_.secrets.get(kConfiguredKey, {});
  }
  const auto state = host_services_.paths.state();
  if (!state) return state.error();
  const auto file = *state / services::kSecretsKeyFile;
  // One process creates the file, and no other reads it before it is complete.
  const auto lock = FileLock::acquire(*state, FileLock::Mode::kExclusive);
  if (!lock) return lock.error();
  const Status restricted = restrict_to_owner(file);
  const bool missing = !restricted && restricted.error().code == Code::kNotFound;
  if (!restricted && !missing) return restricted.error();
  auto key = read_file(file, 2 * kKeyBytes + 1);
  if (key && key->ends_with('\n')) key->pop_back();  // as a shell writes it
  if (!missing || if_missing == IfMissing::kFail) return key;
  std::string made = random_hex(kKeyBytes);
  if (Status written = write_file_atomically(file, made); !written) return written.error();
  return made;
}

Status ProjectSecrets::seal(plugins::SecretRecord& secret, const Json& what) {
  const auto with = key(IfMissing::kMake);
  if (!with) return Error(with.error()).in("the key of projects' secrets");
  auto sealed = quarry::seal(*with, to_text(what), context_of(secret));
  if (!sealed) return std::move(sealed).error().in("the key of projects' secrets");
  secret.sealed = std::move(*sealed);
  return {};
}

Result<Json> ProjectSecrets::unseal(const plugins::SecretRecord& secret) {
  const auto with = key(IfMissing::kFail);
  if (!with) return Error(with.error()).in("the key of projects' secrets");
  const auto text = quarry::unseal(*with, secret.sealed, context_of(secret));
  if (!text) return text.error();
  auto what = parse_json(*text);
  if (what && what->is_object() && what->size() == 1) return what;
  return Error{Code::kInternal, "the sealed text is not a secret"};
}

Status ProjectSecrets::insert_names(const std::vector<plugins::SecretRecord>& secrets,
                                    Json& resource) {
  const std::string name = to_lower(resource["name"].get_ref<const std::string&>());
  const std::string source = source_of(resource);
  for (const plugins::SecretRecord& secret : secrets) {
    if (to_lower(secret.resource) != name) continue;
    if (secret.source != source) {
      return Error{Code::kPermissionDenied,
                   "its secret \"" + secret.member + "\" was set for another source",
                   "Ask the owner of this server to set it again: " + how_to_set(secret)};
    }
    if (Status inserted = insert_name(secret, resource); !inserted) return inserted;
  }
  return {};
}

Status ProjectSecrets::insert_name(const plugins::SecretRecord& secret, Json& resource) {
  const std::string name = "project." + secret.id;
  auto what = unseal(secret);
  Status known = what ? Status() : Status(what.error());
  if (what) {
    host_services_.secrets.update({{name, source_in(*what)}});
    const auto value = host_services_.secrets.get(name, {});
    if (!value) known = value.error();
  }
  if (!known) {
    host_services_.log.warning("access", "the secret " + secret.resource + "." + secret.member +
                                             " of project " + secret.project +
                                             " is unavailable: " + known.error().message);
    return Error{
        Code::kUnavailable, "its secret \"" + secret.member + "\" is unavailable",
        "The log of this server says why; its owner can set it again: " + how_to_set(secret)};
  }
  resource[secret.member] = name;
  return {};
}

}  // namespace quarry::engine
