#pragma once

#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::config {

/// Where a value stands, for messages. Lines and columns from 1; line 0 = not from a file.
struct Place {
  std::filesystem::path file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  /// "quarry.toml:3:7", or what else the value came from ("environment QUARRY_MODEL", "default").
  [[nodiscard]] std::string text() const;
};

/// How to get a secret; never its value.
struct SecretReference {
  enum class From { kEnvironment, kFile, kCommand };
  From from;
  std::vector<std::string> what;  ///< the variable, the file, or the command's argv
};

/// One table that belongs to a component, as JSON. Secrets are taken out: the member `api_key` of
/// table "model" becomes the string "model.api_key", the name of the secret in Config::secrets.
struct Table {
  std::string json = "{}";
  std::map<std::string, Place> places;  ///< JSON pointer -> where it stands
};

struct Resource {
  std::string name;
  std::string type;
  Table fields;  ///< all members of [[resource]], `type` and `name` included
};

/// A way to ask models under a name of its own: a table [model.<name>] that has a `provider`.
struct ModelInstance {
  std::string provider;  ///< the component of a plugin
  std::string name;      ///< of the model; empty = the provider's default
  Table options;         ///< what is left of the table: for the provider
};

struct Model {
  std::string provider = "auto";  ///< an instance, a component of a plugin, or "auto"
  std::string name;               ///< empty = the provider's default
  std::vector<std::string>
      fallback;  ///< "<provider>" or "<provider>/<model>", split at the first '/'
  std::uint32_t max_steps = 40;
  std::chrono::seconds max_time{600};
  std::uint64_t max_tokens = 0;         ///< sum over a question, 0 = no limit
  std::optional<Money> max_cost;        ///< of a question
  std::optional<Money> monthly_budget;  ///< of all questions since the month (UTC) began
  bool allow_unpriced = false;  ///< models without a known price are asked though money is limited
  std::chrono::seconds idle{120};  ///< how long a provider may send nothing
  Table options;                   ///< what is left of [model]: for the provider; all its places
  std::map<std::string, ModelInstance> instances;
};

struct Cache {
  std::filesystem::path directory;  ///< empty = the user's cache directory
  std::uint64_t max_bytes = 10ull << 30;
};

struct Server {
  std::uint32_t max_questions = 256;                 ///< running at once; more are refused (429)
  std::uint64_t max_event_bytes = 64ull << 20;       ///< of one question's event log
  std::chrono::milliseconds reader_grace{10'000};    ///< after the last reader left
  std::chrono::milliseconds shutdown_grace{10'000};  ///< for running questions
  std::chrono::seconds keep_finished{600};           ///< how long events can be read again
};

/// [store]: where tokens, projects and their resources are.
struct Store {
  std::string provider = "sqlite";  ///< the component of a plugin, or "none"
  Table options;                    ///< what is left of the table: for the provider
};

/// [access]: the rules for callers with tokens.
struct Access {
  // Of tokens that have no limit of their own; nothing = none.
  std::optional<std::uint32_t> requests_per_minute;
  std::optional<std::uint32_t> streams;  ///< questions at once
  std::optional<Money> usd_per_day;
  std::uint32_t max_resources = 200;  ///< of a project
  std::filesystem::path audit_file;   ///< JSON lines; empty = the store alone
  std::chrono::days audit_days{90};   ///< how long the store keeps them
  bool audit_questions = false;       ///< with the text of questions
};

struct Plugins {
  std::vector<std::filesystem::path> path;    ///< searched after the program's own directory
  std::map<std::string, std::string> pinned;  ///< plugin id -> SHA-256
  std::vector<std::string> disabled;          ///< plugin ids
};

/// The whole configuration: system file, user file, project file, environment, flags, each over the
/// one before. A layer that names another provider of models forgets the options and the model of
/// the one below it. Immutable once loaded.
struct Config {
  Model model;
  std::vector<Resource> resources;
  std::map<std::string, Table> resource_types;  ///< [resource_type.<name>]
  std::map<std::string, Table> transports;      ///< [transport.<name>]; `enabled` taken out
  std::vector<std::string> enabled_transports;  ///< that say so
  std::vector<std::string> disabled_transports;
  std::map<std::string, Table> pricing;  ///< [pricing.<name>]; `enabled` taken out
  std::vector<std::string> disabled_pricing;
  std::vector<std::string> pricing_order;  ///< catalogues that are asked first, in this order
  bool refresh_prices = true;              ///< catalogues may be fetched
  Cache cache;
  Server server;
  Store store;
  Access access;
  Plugins plugins;
  std::optional<std::vector<std::filesystem::path>> local_roots;
  /// Hosts, addresses and ranges that may be private though plugins and providers reach them.
  std::vector<std::string> private_hosts;
  std::string log_level = "info";
  std::map<std::string, SecretReference> secrets;
  std::vector<std::filesystem::path> files;  ///< read, lowest first
  std::filesystem::path writable_file;       ///< where edits go: project file, else user file
  std::vector<std::string> warnings;         ///< files that are not read, with the cause
};

/// What decides which files are read, and what they may set. The system's and the user's file may
/// set everything, and so may `file`, the environment and the flags. The project's file is
/// quarry.toml in the working directory or the nearest directory above it that holds one which
/// nobody else could have written; what only a trusted file may set, it may when the user trusts it
/// with its present content (trust.h).
struct Sources {
  std::filesystem::path working_directory;
  std::filesystem::path user_directory;  ///< holds quarry.toml; usually $XDG_CONFIG_HOME/quarry
  std::filesystem::path system_file = "/etc/quarry/quarry.toml";
  std::optional<std::filesystem::path> file;               ///< --config: this file alone
  std::map<std::string, std::string> environment;          ///< QUARRY_*
  std::vector<std::pair<std::string, std::string>> flags;  ///< "model.provider" -> value
  std::filesystem::path trust_directory;  ///< of TrustList; empty = no project file is trusted
};

/// Reads and checks everything. One Error holds every mistake: details[i].field is the place
/// ("quarry.toml:3:7"), details[i].message the sentence with the nearest known name; tag
/// ConfigError. Fields of resources are checked later, against the schema of their plugin
/// (check_resource). A project file that is not trusted and sets what needs it is one Error too,
/// with these places and the command that trusts it.
Result<Config> load(const Sources& sources);

/// Everything that is set, as one TOML text in which a comment behind each value says where it
/// comes from. Secrets are references there too.
Result<std::string> show(const Sources& sources);

/// The places of failed fields: turns JSON pointers of `error` into "file:line:column".
Error at_places(Error error, const Table& table);

/// Options of a model provider as they would stand in [model], secrets taken out as load() does.
struct ModelOptions {
  std::string json = "{}";
  std::map<std::string, SecretReference> secrets;
};
/// ProviderOptionsError, with JSON pointers, for keys that are the host's own and for secrets in
/// plain text.
Result<ModelOptions> read_model_options(const Json& options);

/// Adds a [[resource]] table with `resource`'s members at the end of the file's resources. Changes
/// no other byte; the file (and its directory) is made when missing. Under a lock on the file,
/// atomic and durable. ConfigError when the name (in any case) stands there already or the file is
/// not valid.
///
/// Of every edit: a file that was trusted stays trusted with its new content, and so does one that
/// needed no trust, or was not there. One that load() refuses is not edited.
Status add_resource(const Sources& sources, const std::filesystem::path& file,
                    const Json& resource);

/// Removes that resource's table with the comment lines directly above it. kNotFound / ConfigError.
Status remove_resource(const Sources& sources, const std::filesystem::path& file,
                       std::string_view name);

/// Sets provider, name (empty: none, for the provider's default) and options of [model]. Options of
/// another provider go, and those that are null; the host's own keys, instances and every comment
/// stay.
Status set_model(const Sources& sources, const std::filesystem::path& file,
                 std::string_view provider, std::string_view name, const Json& options);

}  // namespace quarry::config
