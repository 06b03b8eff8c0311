#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/manifest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::plugins {

/// A version of a plugin in an index, for one kind of machine.
struct IndexedVersion {
  std::string version;
  std::string archive;  ///< URL, absolute
  std::string sha256;   ///< of the archive, 64 lower-case digits
  std::uint64_t size = 0;
  std::string machine;  ///< "x86_64"
  AbiVersion built_for;
  AbiVersion minimum;
  std::vector<std::string> components;  ///< "quarry.resource/1 git"
  Json facts;                           ///< see manifest_facts()
  std::string signature;                ///< text of plugin.toml.minisig; empty = none
  std::optional<std::string> yanked;    ///< withdrawn, with the cause, which may be empty
};

/// A version in an index that this host does not understand: one for a later host, or a mistake.
struct SkippedVersion {
  std::string version;  ///< empty if that is not understood either
  std::string place;    ///< JSON pointer into the index
  std::string cause;    ///< "/isolation must be \"none\" or \"process\""
};

/// A plugin in an index.
struct IndexedPlugin {
  std::string id;
  std::string summary;
  std::string licence;
  std::vector<IndexedVersion> versions;   ///< the highest first; may be empty if some were skipped
  std::vector<SkippedVersion> skipped{};  ///< in the order of the file
};

/// Content of an index file (sdk/schema/plugin.index.json).
struct PluginIndex {
  static constexpr int kFormat = 1;
  static constexpr std::size_t kMostBytes = 16u << 20;

  std::string made;                    ///< "2026-11-01T12:00:00Z"
  std::vector<IndexedPlugin> plugins;  ///< in the order of the file

  [[nodiscard]] const IndexedPlugin* find(std::string_view id) const;
};

/// Reads the index of the address `url`, to which archives are relative. Versions that this host
/// does not understand are skipped. The error names the first other mistake by its JSON pointer.
/// [any]
Result<PluginIndex> parse_index(std::string_view text, const std::string& url);

/// Fails, with the first version that parse_index skipped.
Status check_complete(const PluginIndex& index);

/// Says how many versions were skipped that may be higher than `chosen`, and why the first was;
/// empty if none.
[[nodiscard]] std::string skipped_above(const IndexedPlugin& plugin, std::string_view chosen);

/// Members of a version that its manifest decides: abi, isolation, components, permissions.
[[nodiscard]] Json manifest_facts(const Manifest& manifest);

/// Fails, with the member, unless the manifest from the version's archive is of the plugin that the
/// index describes.
Status check_as_indexed(const IndexedPlugin& plugin, const IndexedVersion& version,
                        const Manifest& manifest);

/// Kind of this machine, as in an index.
[[nodiscard]] std::string_view this_machine();

/// The version named `version`, else the highest one that this host can load, which was not
/// withdrawn and is no pre-release. kUnsupported says for each version why it cannot be used, those
/// that were skipped included.
Result<const IndexedVersion*> choose_version(const IndexedPlugin& plugin, std::string_view version);

/// True if every word occurs in id, summary or a component of the plugin, ignoring ASCII case.
[[nodiscard]] bool matches(const IndexedPlugin& plugin, const std::vector<std::string>& words);

}  // namespace quarry::plugins
