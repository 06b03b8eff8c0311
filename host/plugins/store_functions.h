#pragma once

#include "plugins/plugin_function.h"

#include <chrono>

namespace quarry::plugins::function::store {

/// Longest time of a function that reads or writes a few rows: a client of HTTP still waits then.
inline constexpr std::chrono::seconds kShort{20};
/// The same of one that migrates the schema, or reads or removes many rows.
inline constexpr std::chrono::minutes kLong{2};

inline constexpr PluginFunction kOpen{"open", kLong, Excludes::kSerial};
inline constexpr PluginFunction kKey{"key", kShort, Excludes::kSerial};
inline constexpr PluginFunction kCreateProject{"create_project", kShort, Excludes::kSerial};
inline constexpr PluginFunction kProjects{"projects", kShort, Excludes::kSerial};
inline constexpr PluginFunction kRemoveProject{"remove_project", kShort, Excludes::kSerial};
inline constexpr PluginFunction kCreateToken{"create_token", kShort, Excludes::kSerial};
inline constexpr PluginFunction kTokens{"tokens", kShort, Excludes::kSerial};
inline constexpr PluginFunction kFindToken{"find_token", kShort, Excludes::kSerial};
inline constexpr PluginFunction kTokenHashes{"token_hashes", kShort, Excludes::kSerial};
inline constexpr PluginFunction kRevokeToken{"revoke_token", kShort, Excludes::kSerial};
inline constexpr PluginFunction kResources{"resources", kShort, Excludes::kSerial};
inline constexpr PluginFunction kAddResource{"add_resource", kShort, Excludes::kSerial};
inline constexpr PluginFunction kRemoveResource{"remove_resource", kShort, Excludes::kSerial};
inline constexpr PluginFunction kSetSecret{"set_secret", kShort, Excludes::kSerial};
inline constexpr PluginFunction kSecrets{"secrets", kShort, Excludes::kSerial};
inline constexpr PluginFunction kRemoveSecret{"remove_secret", kShort, Excludes::kSerial};
inline constexpr PluginFunction kExchange{"exchange", kShort, Excludes::kSerial};
inline constexpr PluginFunction kReserve{"reserve", kShort, Excludes::kSerial};
inline constexpr PluginFunction kSettle{"settle", kShort, Excludes::kSerial};
inline constexpr PluginFunction kEndSession{"end_session", kShort, Excludes::kSerial};
inline constexpr PluginFunction kRecord{"record", kShort, Excludes::kSerial};
inline constexpr PluginFunction kAudit{"audit", kLong, Excludes::kSerial};
inline constexpr PluginFunction kForget{"forget", kLong, Excludes::kSerial};
inline constexpr PluginFunction kSchema{"schema", kShort, Excludes::kSerial};
inline constexpr PluginFunction kDump{"dump", kLong, Excludes::kSerial};
inline constexpr PluginFunction kLoad{"load", kLong, Excludes::kSerial};

}  // namespace quarry::plugins::function::store
