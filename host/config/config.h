#pragma once

#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::config {

/// Position of a value, for messages. Lines and columns from 1; line 0 = not from a file.
struct Place {
  std::filesystem::path file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  /// "quarry.toml:3:7", or another source ("environment QUARRY_MODEL", "default").
  [[nodiscard]] std::string text() const;
};

/// The source of a secret; never its value.
struct SecretReference {
  enum class From { kEnvironment, kFile, kCommand };
  From from;
  std::vector<std::string> what;  ///< the variable, the file, or the command's argv
};

/// One table of a component, as JSON. Secrets are replaced by names: the member `api_key` of table
/// "model" becomes the string "model.api_key", the key of the secret in Config::secrets.
struct Table {
  std::string json = "{}";
  std::map<std::string, Place> places;  ///< JSON pointer -> position
};

struct Resource {
  std::string name;
  std::string type;
  Table fields;  ///< all members of [[resource]], `type` and `name` included
};

/// A configured provider with its own name: a table [model.<name>] that has a `provider`.
struct ModelInstance {
  std::string provider;  ///< the component of a plugin
  std::string name;      ///< of the model; empty = the provider's default
  Table options;         ///< the rest of the table, for the provider
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
  bool allow_unpriced = false;  ///< models without a known price may be asked despite money limits
  std::chrono::seconds idle{120};  ///< longest time without data from a provider
  Table options;                   ///< the rest of [model], for the provider; places of all of it
  std::map<std::string, ModelInstance> instances;
};

/// A table [embedding.<name>] or [rerank.<name>].
struct RetrievalProvider {
  std::string provider;  ///< the component of a plugin
  Table options;         ///< the rest of the table, for the provider
};

/// [search]: what searches by meaning use, each "<provider>/<model>", split at the first '/'; empty
/// = none. A provider is the name of a table, or a component of a plugin.
struct Search {
  std::string embedding;
  std::string rerank;
  std::map<std::string, Place> places;  ///< JSON pointer in [search] -> position
};

struct Cache {
  std::filesystem::path directory;  ///< empty = the user's cache directory
  std::uint64_t max_bytes = 10ull << 30;
};

struct Server {
  std::uint32_t max_questions = 256;                 ///< running at once; more are rejected (429)
  std::uint64_t max_event_bytes = 64ull << 20;       ///< of one question's event log
  std::chrono::milliseconds reader_grace{10'000};    ///< after the last reader left
  std::chrono::milliseconds shutdown_grace{10'000};  ///< for running questions
  std::chrono::seconds keep_finished{600};           ///< time for which events can be read again
  bool reload_on_change = true;  ///< files that change are read again without being asked
};

/// [store]: the database of tokens, projects and their resources.
struct Store {
  std::string provider = "sqlite";  ///< the component of a plugin, or "none"
  Table options;                    ///< the rest of the table, for the provider
};

/// [history]: conversations, and what questions cost.
struct History {
  std::optional<std::uint32_t> keep_days;  ///< nothing = for ever
};

/// [access]: the rules for callers with tokens.
struct Access {
  // Limits of tokens without their own; nothing = unlimited.
  std::optional<std::uint32_t> requests_per_minute;
  std::optional<std::uint32_t> streams;  ///< questions at once
  std::optional<Money> usd_per_day;
  std::uint32_t max_resources = 200;  ///< of a project
  std::filesystem::path audit_file;   ///< JSON lines; empty = only in the store
  std::chrono::days audit_days{90};   ///< retention time in the store
  bool audit_questions = false;       ///< includes the text of questions
};

/// [traces]: the collector of spans.
struct Traces {
  std::string endpoint;                        ///< base URL; empty = nothing is recorded
  std::map<std::string, std::string> headers;  ///< name -> secret, the key in Config::secrets
  double sample_ratio = 1;                     ///< of the traces that begin here, 0 to 1
  bool content = false;                        ///< with the text of questions, answers and tools
};

struct Plugins {
  std::vector<std::filesystem::path> path;    ///< searched after the program's own directory
  std::map<std::string, std::string> pinned;  ///< plugin id -> SHA-256
  std::vector<std::string> disabled;          ///< plugin ids
  bool drafts = false;                        ///< loads plugins of draft kinds
  /// Plugin id -> "process" or "none", instead of the manifest's isolation.
  std::map<std::string, std::string> isolation;
  /// Public keys of minisign; if there is one, plugins are installed, and indexes of them read,
  /// with a signature only.
  std::vector<std::string> trusted_keys;
  std::map<std::string, std::string> indexes;  ///< of plugins: name -> URL
};

/// The whole configuration, merged from system file, user file, project file, environment, flags;
/// each overrides the one before. A layer that names another model provider drops the options and
/// the model of the layers below. Immutable once loaded.
struct Config {
  Model model;
  std::vector<Resource> resources;
  std::map<std::string, Table> resource_types;  ///< [resource_type.<name>]
  std::map<std::string, Table> transports;      ///< [transport.<name>] without `enabled`
  std::vector<std::string> enabled_transports;  ///< with `enabled` set to true
  std::vector<std::string> disabled_transports;
  std::map<std::string, Table> pricing;  ///< [pricing.<name>] without `enabled`
  std::vector<std::string> disabled_pricing;
  std::vector<std::string> pricing_order;  ///< catalogues that are asked first, in this order
  bool refresh_prices = true;              ///< catalogues may be fetched
  Search search;
  std::map<std::string, RetrievalProvider> embeddings;  ///< [embedding.<name>]
  std::map<std::string, RetrievalProvider> rerankers;   ///< [rerank.<name>]
  Cache cache;
  Server server;
  Store store;
  Access access;
  History history;
  Traces traces;
  Plugins plugins;
  std::optional<std::vector<std::filesystem::path>> local_roots;
  /// Private hosts, addresses and ranges that plugins and providers may connect to.
  std::vector<std::string> private_hosts;
  std::string log_level = "info";
  std::string log_format = "auto";
  std::map<std::string, SecretReference> secrets;
  std::vector<std::filesystem::path> files;  ///< files that were read, lowest first
  std::filesystem::path writable_file;       ///< target of edits: project file, else user file
  std::vector<std::string> warnings;         ///< files that were not read, with the cause
};

/// Fields of [[resource]] that an untrusted project file may set: type -> field -> rule, one of
/// those that rule_of_field() returns (trust_rules.h).
using OpenFields = std::map<std::string, std::map<std::string, std::string>>;

/// The inputs of the configuration. The system's and the user's file, `file`, the environment and
/// the flags may set everything. The project file is quarry.toml in the working directory or the
/// nearest directory above it that has one which no other user could have written; values reserved
/// for trusted files need the user's trust in its present content (trust.h).
struct Sources {
  std::filesystem::path working_directory;  ///< empty if it was removed: no project file
  std::filesystem::path user_directory;     ///< of quarry.toml; usually $XDG_CONFIG_HOME/quarry
  std::filesystem::path system_file = "/etc/quarry/quarry.toml";
  std::optional<std::filesystem::path> file;               ///< --config: only this file
  std::map<std::string, std::string> environment;          ///< QUARRY_*
  std::vector<std::pair<std::string, std::string>> flags;  ///< "model.provider" -> value
  std::filesystem::path trust_directory;  ///< of TrustList; empty = no project file is trusted
  /// The open fields of the types that the program's plugins and those in these directories offer;
  /// empty = every field needs trust.
  std::function<OpenFields(const std::vector<std::filesystem::path>& plugin_path)> open_fields = {};
};

/// What load() reads if it exists: files, and the directory of trust, which changes with its
/// entries. The project file is one in or above the working directory, and here the former alone.
std::vector<std::filesystem::path> files_of(const Sources& sources);

/// A file that a host's configuration may consist of; it may be missing.
struct NamedFile {
  std::string name;  ///< the same on every machine
  std::filesystem::path path;
};
/// The files of files_of(), each with the lock file beside it: "given.toml" (--config), or
/// "system.toml", "user.toml" and "project.toml".
std::vector<NamedFile> named_files(const Sources& sources);

/// Reads and checks everything. One Error lists every mistake: details[i].field is the place
/// ("quarry.toml:3:7"), details[i].message the sentence with the nearest known name; tag
/// ConfigError. Fields of resources are checked later, against the schema of their plugin
/// (check_resource). An untrusted project file with values that need trust is one Error too, with
/// their places and the command that trusts it.
Result<Config> load(const Sources& sources);

/// All set values as one TOML text, each followed by a comment with its source. Secrets are shown
/// as references.
Result<std::string> show(const Sources& sources);

/// Replaces the JSON pointers of `error` by places, "file:line:column".
Error at_places(Error error, const Table& table);

/// Options of a model provider, in the form of [model], with secrets replaced as in load().
struct ModelOptions {
  std::string json = "{}";
  std::map<std::string, SecretReference> secrets;
};
/// ProviderOptionsError, with JSON pointers, for keys that belong to the host and for secrets in
/// plain text.
Result<ModelOptions> read_model_options(const Json& options);

/// Adds a [[resource]] table with `resource`'s members after the file's resources. Changes no other
/// byte; creates the file and its directory if missing. Under a lock on the file, atomic and
/// durable. ConfigError if the name (ignoring case) exists in the file or the file is not valid.
///
/// For every edit: a file that was trusted, needed no trust or did not exist is trusted with its
/// new content. A file that load() rejects is not edited.
Status add_resource(const Sources& sources, const std::filesystem::path& file,
                    const Json& resource);

/// Removes a resource's table with the comment lines directly above it, and those below it up to an
/// empty line. kNotFound / ConfigError.
Status remove_resource(const Sources& sources, const std::filesystem::path& file,
                       std::string_view name);

/// Sets a value by its dotted key, as in "transport.rest.listen", which is none of a resource; adds
/// the table if it is missing. The value is not checked. kUnsupported if the file has the table in
/// a form that cannot be edited.
Status set_value(const Sources& sources, const std::filesystem::path& file, std::string_view key,
                 const Json& value);

/// Sets provider, name (empty: none, for the provider's default) and options of [model]. Removes
/// options of another provider and options that are null; keeps the host's own keys, instances and
/// every comment.
Status set_model(const Sources& sources, const std::filesystem::path& file,
                 std::string_view provider, std::string_view name, const Json& options);

}  // namespace quarry::config
