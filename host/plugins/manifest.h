#pragma once

#include "base/error.h"
#include "base/json.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// A component that a plugin offers, as listed in its manifest.
struct ManifestComponent {
  std::string kind;         ///< "quarry.resource/1"
  std::string name;         ///< "git"
  std::string schema_file;  ///< beside the manifest; may be empty
  /// JSON Schema of [resource_type.<name>], beside the manifest; may be empty. For other kinds
  /// `schema_file` is the schema of their table.
  std::string configuration_schema_file = {};
  /// True for a transport that is started only if the configuration enables it.
  bool opt_in = false;
};

/// Permissions of a plugin. The services refuse everything else.
struct Permissions {
  std::vector<std::string> hosts;     ///< "api.example.com", "*.example.com", "*", "192.0.2.1"
  std::vector<std::string> programs;  ///< bare names and absolute paths
  std::vector<std::string> secrets;   ///< names
  /// JSON pointers ("field:/registry" in the manifest) into the configuration of an instance and
  /// the resource of a call: the hosts and secrets that these name are permitted too.
  std::vector<std::string> host_fields = {};
  std::vector<std::string> secret_fields = {};
  /// The owner's files ("file:~/.npmrc" in the manifest, here without "file:"), see is_host_file:
  /// the hosts of the URLs in them are permitted too.
  std::vector<std::string> host_files = {};
};

/// Version of the plugin contract.
struct AbiVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
};

/// Content of plugin.toml: facts about a plugin known without running its code.
struct Manifest {
  std::string id;
  std::string version;
  std::string summary;
  std::string licence;
  AbiVersion built_for;
  AbiVersion minimum;          ///< oldest host version it supports
  std::filesystem::path file;  ///< absolute
  std::string sha256;          ///< of the file, 64 lower-case digits
  std::string isolation;       ///< "none" or "process"
  std::vector<ManifestComponent> components;
  Permissions permissions;
  std::map<std::string, std::string> oldest_programs;  ///< oldest usable version, "2.31", by name
  std::map<std::string, std::string> schema_sha256;    ///< of schema files, by name; may lack some
  /// True if `create` and `describe` of its components depend on nothing but their tables and the
  /// variables of `environment` (of a secret, on its being set), so that a host that it came with
  /// may load it when it is used.
  bool deferred = false;
  std::vector<std::string> environment = {};
  std::filesystem::path path;  ///< of the manifest itself
  std::string own_sha256;      ///< of the manifest itself
};

/// Reads and checks one manifest. Every mistake names the key and its line. Does not check
/// compatibility. [any]
Result<Manifest> read_manifest(const std::filesystem::path& path);

/// The component of that kind and name; null if the plugin does not offer it.
const ManifestComponent* find_component(const Manifest& manifest, std::string_view kind,
                                        std::string_view name);

/// The JSON Schema in `file` beside the manifest; null if `file` is empty. kInvalidArgument if the
/// manifest has another digest of it.
Result<Json> read_schema(const Manifest& manifest, const std::string& file);

/// {"hosts", "programs", "secrets"}, as in a manifest.
Json permissions_json(const Permissions& permissions);

/// kUnsupported, with both versions and a hint, if this host cannot run a plugin built for
/// `built_for` that needs `minimum`.
Status check_compatible(std::string_view id, AbiVersion built_for, AbiVersion minimum);

/// True for names of components: ^[a-z][a-z0-9-]{0,63}$
[[nodiscard]] bool is_component_name(std::string_view name);

/// True for ids of plugins, which are names of directories too: at most 128 lower-case letters,
/// digits, '-' and '.', with at least one dot, beginning with a letter, and without empty parts.
[[nodiscard]] bool is_plugin_id(std::string_view id);

}  // namespace quarry::plugins
